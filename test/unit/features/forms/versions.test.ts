import { describe, expect, it } from "vitest";
import { etagOf, matches } from "../../../../src/lib/etag.ts";
import { harness } from "../../../_support/backend.ts";

const world = async () => {
  const b = harness({ rateLimit: false });
  const { id } = await b.forms.create({ name: "A" });
  const path = `/v1/forms/${id}`;
  const etag = async (address = path) => (await b.call("GET", address)).headers.get("etag") ?? "";
  const patch = (ifMatch: string | null, body: object = { name: "B" }, address = path) =>
    b.call("PATCH", address, { body, ...(ifMatch !== null && { headers: { "if-match": ifMatch } }) });
  return { b, id, path, etag, patch };
};

describe("the version of a form", () => {
  it("is one for the form and its settings, on GET and HEAD, and on what makes a new one", async () => {
    const { b, path, etag, patch } = await world();
    const first = await etag();
    expect(first).toMatch(/^"[^"]+"$/);
    expect(await etag(`${path}/settings`)).toBe(first);
    expect((await b.call("HEAD", path)).headers.get("etag")).toBe(first);
    expect((await b.call("POST", "/v1/forms", { body: { name: "C" } })).headers.get("etag")).toBe(first);
    const changed = await patch(null);
    expect(changed.headers.get("etag")).toBe(await etag());
    const set = await patch(null, { labels: { a: "A" } }, `${path}/settings`);
    expect(set.headers.get("etag")).toBe(await etag());
    expect(new Set([first, changed.headers.get("etag"), set.headers.get("etag")]).size).toBe(3);
  });

  it("is moved by every change of the form, and not by submissions or a change of nothing", async () => {
    const { b, id, path, etag, patch } = await world();
    let last = await etag();
    const moves = async (run: () => Promise<unknown>): Promise<boolean> => {
      const before = last;
      await run();
      last = await etag();
      return last !== before;
    };
    expect(await moves(() => b.submit(id, { fields: { a: "1" } }))).toBe(false);
    expect(await moves(() => b.tick())).toBe(false);
    expect(await moves(() => patch(null, {}))).toBe(false);
    expect(await moves(() => patch(null, {}, `${path}/settings`))).toBe(false);
    expect(await moves(() => patch(null, { nonsense: 1 }))).toBe(false);
    expect(await moves(() => patch(null, { active: false }))).toBe(true);
    expect(await moves(() => patch(null, { require_token: true }, `${path}/settings`))).toBe(true);
    expect(await moves(() => b.forms.addRecipient(id, "a@example.com"))).toBe(true);
    expect(await moves(() => b.webhooks.create(id, { url: "https://example.com/" }))).toBe(true);
  });
});

describe("If-Match", () => {
  it("lets a change pass that is made to the version it names, in a list too, and with *", async () => {
    const { etag, patch } = await world();
    const conditions: ((now: string) => string)[] = [
      (now) => now,
      (now) => `"nothing", ${now}`,
      (now) => `  ,"0" ,,${now},  `,
      () => "*",
    ];
    for (const condition of conditions) {
      const sent = condition(await etag());
      expect([sent, (await patch(sent)).status]).toEqual([sent, 200]);
    }
  });

  it.each([
    ["an older version", '"0"'],
    ["a weak tag, for If-Match compares strongly", 'W/"1"'],
    ["a list without it", '"7", "8", W/"1"'],
    ["a version without quotes", "1"],
    ["nothing", ""],
    ["a star in a list", '"7", *'],
    ["a list that is cut off", '"1", "'],
  ])("refuses %s with 412 and changes nothing, at both addresses", async (_, condition) => {
    const { b, id, path, patch } = await world();
    const before = await b.forms.get(id);
    for (const [address, body] of [
      [path, { name: "B" }],
      [`${path}/settings`, { key: "b" }],
    ] as const) {
      const { status, json } = await patch(condition, body, address);
      expect([status, json.error.type, json.error.code]).toEqual([412, "invalid_request_error", "version_mismatch"]);
    }
    expect(await b.forms.get(id)).toEqual(before);
    expect((await patch('"1"')).status).toBe(200);
  });

  it("lets one of many changes at once pass, whichever address they come by", async () => {
    const { b, id, path, etag, patch } = await world();
    const version = await etag();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        i % 2 === 0
          ? patch(version, { name: `N${i}` })
          : patch(version, { labels: { [`f${i}`]: "x" } }, `${path}/settings`),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 412)]);
    const form = await b.forms.get(id);
    const changes = Number(form.name !== "A") + Object.keys(form.settings.labels).length;
    expect(changes).toBe(1);
  });

  it("lets a form be deleted only in a version that it names", async () => {
    const { b, path, etag, patch } = await world();
    const read = await etag();
    await patch(null);
    const remove = (condition: string) => b.call("DELETE", path, { headers: { "if-match": condition } });
    const refused = await remove(read);
    expect([refused.status, refused.json.error.code]).toEqual([412, "version_mismatch"]);
    expect((await b.call("GET", path)).status).toBe(200);
    expect((await remove(await etag())).status).toBe(200);
    expect((await b.call("GET", path)).status).toBe(404);
  });

  it("is judged after the caller's access and input", async () => {
    const { b, path } = await world();
    const reader = await b.keyWith(["forms:read"]);
    const headers = { "if-match": '"0"' };
    const as = async (key: string, body: object, address = path) =>
      (await b.call("PATCH", address, { key, body, headers })).json.error.code;
    expect(await as(reader, { name: "B" })).toBe("insufficient_scope");
    expect(await as(b.key, { nonsense: 1 })).toBe("invalid_parameter");
    expect(await as(b.key, { name: "B" }, "/v1/forms/nothing")).toBe("form_not_found");
  });

  it("may be sent, and the version be read, by pages of listed origins", async () => {
    const b = harness({ cors: { management: ["https://dash.example"] } });
    const { id } = await b.forms.create({ name: "A" });
    const headers = { origin: "https://dash.example" };
    const asked = await b.call("OPTIONS", `/v1/forms/${id}`, { key: null, headers });
    expect(asked.headers.get("access-control-allow-headers")).toContain("If-Match");
    const answer = await b.call("GET", `/v1/forms/${id}`, { headers });
    expect(answer.headers.get("access-control-expose-headers")).toContain("ETag");
  });
});

describe("reading tags", () => {
  it("takes what RFC 9110 allows in them", () => {
    expect(matches(etagOf(12), 12)).toBe(true);
    expect(matches('"a,b", "12"', 12)).toBe(true);
    expect(matches('"12', 12)).toBe(false);
    expect(matches('"12"x', 12)).toBe(false);
    expect(matches('"x" "12"', 12)).toBe(false);
    expect(matches(" * ", 12)).toBe(true);
    expect(matches(null, 12)).toBe(true);
  });

  it("takes a long list in a time that grows with its length alone", () => {
    const list = (length: number) => Array.from({ length }, (_, i) => `"${i + 100}"`).join(",");
    expect(matches(list(20_000), 99)).toBe(false);
    expect(matches(`${" ,".repeat(20_000)}"99"`, 99)).toBe(true);
    expect(matches(`"${"a".repeat(100_000)}`, 99)).toBe(false);
  });
});
