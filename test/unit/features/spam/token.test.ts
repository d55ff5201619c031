import { describe, expect, it } from "vitest";
import { createRenderTokens } from "../../../../src/features/spam/token.ts";
import { memoryStorage, type Verdict } from "../../../../src/index.ts";
import { toSecret } from "../../../../src/lib/secrets.ts";
import { type Harness, harness } from "../../../_support/backend.ts";

interface Setup {
  readonly b: Harness;
  readonly id: string;
  /** Posts with a token and answers the verdict about it. */
  verdict(token: string | undefined, b?: Harness): Promise<Verdict | undefined>;
}

async function setup(form: object = {}): Promise<Setup> {
  const storage = memoryStorage();
  const b = harness({ storage });
  const { id } = await b.forms.create({ name: "A", ...form });
  let n = 0;
  return {
    b,
    id,
    async verdict(token, via = b) {
      const { json, text, status } = await via.post(id, { n: ++n, ...(token !== undefined && { _token: token }) });
      expect([status, json.status], text).toEqual([200, "success"]);
      const value = (await storage.get("submissions", [json.submission_id])).get(json.submission_id)?.value;
      const { verdict, spam, fields } = value as { verdict: Verdict[]; spam: boolean; fields: unknown };
      expect(fields).toEqual([{ key: "n", value: String(n) }]);
      expect(spam).toBe(verdict.some((one) => one.spam));
      return verdict.find(({ check }) => check === "token");
    },
  };
}

const spam = (reason: string): Verdict => ({ check: "token", spam: true, reason });

describe("render tokens", () => {
  it("are good once, from 2 s to 24 h after they were made", async () => {
    const { b, id, verdict } = await setup();
    const token = await b.renderToken(id);
    await b.clock.advance(2_000);
    expect(await verdict(token)).toEqual({ check: "token", spam: false });
    expect(await verdict(token)).toEqual(spam("used"));
    const [young, old, late] = [await b.renderToken(id), await b.renderToken(id), await b.renderToken(id)];
    await b.clock.advance(1_999);
    expect(await verdict(young)).toEqual(spam("too_fast"));
    await b.clock.advance(24 * 3_600_000 - 2_000);
    expect(await verdict(late)).toEqual({ check: "token", spam: false });
    await b.clock.advance(1);
    expect(await verdict(old)).toEqual(spam("expired"));
  });

  it("that came too fast are spent by it", async () => {
    const { b, id, verdict } = await setup();
    const token = await b.renderToken(id);
    expect(await verdict(token)).toEqual(spam("too_fast"));
    await b.clock.advance(5_000);
    expect(await verdict(token)).toEqual(spam("used"));
  });

  it("that are forged, of another form or under another secret are spam", async () => {
    const { b, id, verdict } = await setup();
    const other = await b.forms.create({ name: "B" });
    const [time = "", nonce = "", mac = ""] = (await b.renderToken(id)).split(".");
    const foreign = createRenderTokens(() => [toSecret("another secret of enough characters")]).issue(
      id,
      b.clock.now() - 10_000,
    ).token;
    const forged = [
      "x",
      "..",
      "a.b.c.d",
      `${time}.${nonce}.`,
      `${time}.${nonce}.${mac}.`,
      `${time}.${nonce}x.${mac}`,
      `${(b.clock.now() - 60_000).toString(36)}.${nonce}.${mac}`,
      `${time}.${nonce}.${mac.slice(0, -1)}`,
      await b.renderToken(other.id),
      foreign,
      "\0".repeat(300),
    ];
    await b.clock.advance(5_000);
    for (const token of forged) expect(await verdict(token), JSON.stringify(token)).toEqual(spam("forged"));
    expect(await verdict([time, nonce, mac].join("."))).toEqual({ check: "token", spam: false });
  });

  it("are missed only where the form requires one", async () => {
    const free = await setup();
    expect(await free.verdict(undefined)).toBeUndefined();
    expect(await free.verdict("")).toBeUndefined();
    const strict = await setup({ spam: { require_token: true } });
    expect(await strict.verdict(undefined)).toEqual(spam("missing"));
    const token = await strict.b.renderToken(strict.id);
    await strict.b.clock.advance(3_000);
    expect(await strict.verdict(token)).toEqual({ check: "token", spam: false });
  });

  it("are taken from one of many posts at once, the others are stored as spam", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const other = harness({ storage });
    const { id } = await b.forms.create({ name: "A" });
    const _token = await b.renderToken(id);
    await b.clock.advance(3_000);
    await other.ready();
    await other.clock.advance(3_000);
    const posts = Array.from({ length: 20 }, (_, i) => (i % 2 ? b : other).post(id, { a: i, _token }));
    const ids = (await Promise.all(posts)).map(({ json }) => json.submission_id as string);
    const rows = [...(await storage.get("submissions", ids)).values()];
    expect(rows).toHaveLength(20);
    expect(rows.filter(({ value }) => value["spam"] === false)).toHaveLength(1);
    const used = rows.filter(({ value }) => (value["verdict"] as Verdict[])[0]?.reason === "used");
    expect(used).toHaveLength(19);
  });

  it("stay good when the post was refused", async () => {
    const { b, id, verdict } = await setup({ validation: { rules: [{ field: "n", checks: [{ type: "required" }] }] } });
    const token = await b.renderToken(id);
    await b.clock.advance(3_000);
    expect((await b.post(id, { other: 1, _token: token })).status).toBe(422);
    expect(await verdict(token)).toEqual({ check: "token", spam: false });
  });

  it("repeat the first answer under an idempotency key", async () => {
    const { b, id } = await setup();
    const _token = await b.renderToken(id);
    await b.clock.advance(3_000);
    const first = await b.post(id, { a: 1, _token }, { "idempotency-key": "k" });
    const again = await b.post(id, { a: 1, _token }, { "idempotency-key": "k" });
    expect(again.text).toBe(first.text);
    expect((await b.forms.get(id)).submissions.all_time).toBe(1);
  });

  it("come over HTTP with the CORS of the endpoint", async () => {
    const { b, id } = await setup({ allowed_origins: ["https://site.example"] });
    const ask = (origin: string, method = "GET") =>
      b.call(method, `/f/${id}/token`, { key: null, headers: { origin } });
    const { status, json, headers } = await ask("https://site.example");
    expect([
      status,
      headers.get("access-control-allow-origin"),
      headers.get("cache-control"),
      headers.get("vary"),
    ]).toEqual([200, "https://site.example", "no-store", "Origin"]);
    expect(json).toEqual({
      token: expect.stringMatching(/^[\w-]+\.[\w-]{22}\.[\w-]{51}$/),
      expires_at: "2026-01-02T00:00:00.000Z",
    });
    expect((await ask("https://evil.example")).headers.get("access-control-allow-origin")).toBeNull();
    const preflight = await ask("https://site.example", "OPTIONS");
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, HEAD, OPTIONS",
    ]);
    expect((await ask("https://site.example", "POST")).status).toBe(405);
    await b.clock.advance(2_000);
    expect((await b.post(id, { a: 1, _token: json.token }, { origin: "https://site.example" })).status).toBe(200);
  });

  it("are made for forms that are there, active or not", async () => {
    const { b, id } = await setup();
    await b.forms.update(id, { active: false });
    expect(await b.renderToken(id)).toMatch(/\./);
    await expect(b.renderToken("nope")).rejects.toMatchObject({ code: "form_not_found" });
    expect((await b.call("GET", "/f/nope/token", { key: null })).json.error.code).toBe("form_not_found");
  });
});
