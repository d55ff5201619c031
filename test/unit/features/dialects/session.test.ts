import { expect, it } from "vitest";
import { sessionVerdict } from "../../../../src/features/spam/session.ts";
import { harness } from "../../../_support/backend.ts";

const header = (session: unknown): string => Buffer.from(JSON.stringify(session)).toString("base64");
const now = Date.parse("2026-01-01T00:00:00Z");

it.each([
  ["a driven browser", { loadedAt: now - 60_000, webdriver: true }, "a browser that a program drives"],
  ["a form sent at once", { loadedAt: now - 300, webdriver: false }, "sent 300 ms after the page was opened"],
])("takes %s for spam", (_, session, reason) => {
  expect(sessionVerdict(header(session), now)).toMatchObject({ check: "session", spam: true, reason });
});

it.each([
  ["a person", header({ loadedAt: now - 5_000, webdriver: false })],
  ["a page from the future, since clocks are wrong", header({ loadedAt: now + 60_000 })],
  ["no header", null],
  ["an empty one", ""],
  ["no base64", "%%%"],
  ["no JSON", Buffer.from("{").toString("base64")],
  ["no object", header(null)],
  ["other types", header({ loadedAt: "soon", webdriver: "true" })],
  ["a header of 100 KB", header({ loadedAt: now, webdriver: true, more: "x".repeat(100_000) })],
])("says nothing of %s", (_, given) => expect(sessionVerdict(given, now)).toBeNull());

it("counts in Formspree's dialect alone, while protection is on, and is not stored", async () => {
  const b = harness({ dialects: ["formspree"] });
  const form = await b.forms.create({ name: "A" });
  const open = await b.forms.create({ name: "B", spam: { protection: false } });
  const data = { "formspree-session-data": header({ loadedAt: b.clock.now() - 60_000, webdriver: true }) };
  const client = { "formspree-client": "@formspree/core@4", accept: "application/json" };
  const spam = async (id: string, headers: Record<string, string>) => {
    expect((await b.post(id, { email: "ann@example.com" }, headers)).status).toBe(200);
    const [last] = (await b.submissions.list(id, { status: "all" })).data;
    expect(JSON.stringify(last)).not.toContain("loadedAt");
    return last?.verdict.map(({ check }) => check);
  };
  expect(await spam(form.id, { ...client, ...data })).toEqual(["session"]);
  await b.clock.advance(1_000);
  expect(await spam(form.id, client)).toEqual([]);
  await b.clock.advance(1_000);
  expect(await spam(form.id, data)).toEqual([]);
  expect(await spam(open.id, { ...client, ...data })).toEqual([]);
});
