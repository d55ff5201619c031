import { describe, expect, it } from "vitest";
import { DATABASE, databaseUrl, notion } from "../../../../_support/destinations/fakes.ts";
import { fault } from "../../submissions/_submissions.ts";
import { overFaults, withService } from "./_destination.ts";

const body = { url: databaseUrl, format: "notion", config: { token: "ntn_secret" } } as const;
const textOf = (pieces: { text: { content: string } }[]): string => pieces.map(({ text }) => text.content).join("");

describe("a page in Notion", () => {
  it("has the first field for its title, and values as the properties take them", async () => {
    const types = {
      Title: "title",
      submission_id: "rich_text",
      n: "number",
      tags: "multi_select",
      when: "date",
      ok: "checkbox",
    };
    const b = await withService((now) => notion(now, types), body);
    const { id, message } = await b.sent({
      subject: "Hello",
      n: "41.5",
      tags: ["a", "b"],
      when: "2026-02-03",
      ok: "on",
      more: "x",
    });
    const [page] = b.service.pages;
    expect(textOf(page?.properties.Title.title)).toBe("Hello");
    expect(page?.properties).toMatchObject({
      submission_id: { rich_text: [{ text: { content: id } }] },
      n: { number: 41.5 },
      tags: { multi_select: [{ name: "a" }, { name: "b" }] },
      when: { date: { start: "2026-02-03" } },
      ok: { checkbox: true },
    });
    expect(message).toBe("Left out, because the database has no property that takes it: more");
  });

  it("takes a long text in pieces", async () => {
    const b = await withService(notion, body);
    const long = `${"x".repeat(1_999)}😀${"y".repeat(5_000)}`;
    await b.sent({ name: long });
    expect(textOf(b.service.pages[0]?.properties.Name.title)).toBe(long);
  });

  it("is there once each, over refusals, lost answers and kills", async () => {
    const { service, ids, seen, states } = await overFaults(
      notion,
      body,
      40,
      (n) => ({ name: `Ada ${n}`, n: `${n}` }),
      ({ path }) => path === "/v1/pages",
    );
    expect(service.pages.map(({ properties }) => textOf(properties.submission_id.rich_text)).sort()).toEqual(
      [...ids].sort(),
    );
    expect([seen.kills, states]).toEqual([4, new Set(["succeeded"])]);
  }, 120_000);

  it("waits as long as Notion says", async () => {
    const b = await withService(notion, body);
    b.service.fate.fate = () => ({ status: 429, json: { code: "rate_limited" }, headers: { "retry-after": "90" } });
    await b.now({ name: "1" });
    await b.tick();
    b.service.fate.fate = () => undefined;
    await b.clock.advance(89_000);
    expect(b.service.pages).toHaveLength(0);
    await b.clock.advance(60_000);
    expect(b.service.pages).toHaveLength(1);
  });
});

describe("what a person has to mend in Notion", () => {
  const page = {
    status: 400,
    json: { code: "validation_error", message: `Provided ID ${DATABASE} is a page, not a database.` },
  };
  it.each([
    ["a refused token", { ...body, config: { token: "ntn_old" } }, undefined, undefined, "Notion refuses the token"],
    [
      "a database that is not connected",
      { ...body, url: databaseUrl.replace("0123", "9999") },
      undefined,
      undefined,
      "not connected",
    ],
    ["a page in place of a database", body, page, undefined, "that of a page in Notion"],
    ["a missing property for the id", body, undefined, { Name: "title" }, "no text property “submission_id”"],
  ])("is %s", async (_, create, said, types, words) => {
    const b = await withService((now) => notion(now, types), create);
    b.service.fate.fate = () => said;
    const { status, message } = await b.sent({ name: "Ada" });
    expect([status, message]).toEqual(["failed", expect.stringContaining(words)]);
    expect(await b.webhooks.get(b.id, b.hook)).toMatchObject({ enabled: false });
    expect(b.mailed()).toContain(words);
  });

  it("is no address without an id, which is refused", async () => {
    const b = await withService(notion, body);
    const url = "https://www.notion.so/acme/Orders";
    expect(fault(await b.call("POST", b.path, { body: { ...body, url } }))).toEqual([400, "invalid_parameter", "url"]);
    expect(b.made.config).toEqual({ token: "set" });
  });
});
