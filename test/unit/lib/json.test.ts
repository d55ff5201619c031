import { describe, expect, it, vi } from "vitest";
import { parseJson } from "../../../src/lib/json.ts";
import { harness } from "../../_support/backend.ts";

const MANY = 20_001;
const lists = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const members = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"${i * 4_294_967}":{}`)}}`;

describe("JSON of too many values", () => {
  it.each([
    ["a deep list", `{"a":${lists(500_000)}}`],
    ["many names", members(MANY)],
    ["many empty lists", `[${Array(MANY).fill("[]")}]`],
    ["no JSON at all", ",".repeat(MANY)],
  ])("is refused before it is parsed: %s", (_, text) => {
    const parse = vi.spyOn(JSON, "parse");
    try {
      expect(() => parseJson(Buffer.from(text))).toThrow(expect.objectContaining({ code: "payload_too_large" }));
      expect(parse).not.toHaveBeenCalled();
    } finally {
      parse.mockRestore();
    }
  });

  it.each([
    ["commas and brackets in a text", JSON.stringify({ a: ",[{".repeat(MANY) })],
    [
      "after quotes and backslashes in a text",
      JSON.stringify({ a: '\\"'.repeat(MANY), b: ["\\"], c: ",".repeat(MANY) }),
    ],
    ["as many as are taken", JSON.stringify(Array(20_000).fill(1))],
  ])("are none: %s", (_, text) => {
    expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  it("is refused by the endpoint, the API and the legacy API, and is no JSON in a body that says it is none", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "Contact" });
    const text = `{"a":${lists(100_000)}}`;
    const json = { "content-type": "application/json" };
    expect((await b.post(id, text, json)).json.error).toMatchObject({ code: "payload_too_large" });
    const answer = await b.call("PATCH", `/v1/forms/${id}`, { body: text, headers: json });
    expect(answer.status).toBe(413);
    const older = await b.call("PUT", "/api/form", { body: text, key: null, headers: { ...json, api_key: b.key } });
    expect(older.status).toBe(413);
    const parse = vi.spyOn(JSON, "parse");
    expect((await b.post(id, text)).status).toBe(413);
    expect(parse.mock.calls.some(([parsed]) => parsed === text)).toBe(false);
    parse.mockRestore();
  });

  it("leaves room for the largest form", async () => {
    const b = harness();
    const each = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
    const record = <T>(value: T): Record<string, T> => Object.fromEntries(each(500, (at) => [`f${at}`, value]));
    const senders = each(500, (at) => `s${at}@example.com`);
    const ips = each(500, (at) => `10.0.${at >> 8}.${at & 255}`);
    const checks = each(10, (at) => ({ type: "min_length", value: String(at), message: "Too short." }));
    const condition = { type: "contains", field: "a", value: "b", negate: false };
    const to = { recipients: ["a@example.com"] };
    const policy = { store: "plain", email: "omit", webhook: "omit", export: "omit", agents: "omit" };
    const body = {
      name: "All",
      self_email_notification: { recipients: ["a@example.com"] },
      validation: { rules: each(100, (at) => ({ field: `f${at}`, checks })) },
      settings: {
        labels: record("Label"),
        fields: record(policy),
        spam: { words: each(500, (at) => `w${at}`), senders, ips, allow: { senders, ips } },
        routing: { rules: each(50, () => ({ if: { all: each(20, () => condition) }, to, stop: false })) },
      },
    };
    const answer = await b.call("POST", "/v1/forms", { body });
    expect(answer.json.error?.message).toBeUndefined();
    expect(answer.status).toBe(201);
  });
});
