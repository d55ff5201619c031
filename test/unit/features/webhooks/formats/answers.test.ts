import { describe, expect, it } from "vitest";
import { formats } from "../../../../../src/features/webhooks/formats/table.ts";
import type { Answer, Verdict } from "../../../../../src/features/webhooks/formats/types.ts";

type Name = keyof typeof formats;
type Row = [name: Name, status: number, body: unknown, end: Verdict["end"], retryAfter?: string];

const text = (body: unknown): string => (typeof body === "string" ? body : JSON.stringify(body));
const ask = (name: Name, status: number, body: unknown, header?: string): Verdict =>
  formats[name].classify({ status, body: text(body), retryAfter: header } satisfies Answer);

const names = Object.keys(formats) as Name[];
const chats = names.filter((name) => name !== "standard" && name !== "flat");

describe("an answer", () => {
  it.each<Row>([
    ["slack", 200, "ok", "delivered"],
    ["slack", 400, "invalid_payload", "failed"],
    ["slack", 400, "invalid_blocks", "failed"],
    ["slack", 403, "action_prohibited", "retry"],
    ["slack", 404, "no_service", "gone"],
    ["slack", 404, "channel_not_found", "gone"],
    ["slack", 410, "channel_is_archived", "gone"],
    ["slack", 500, "rollup_error", "retry"],
    ["discord", 200, { id: "1" }, "delivered"],
    ["discord", 204, "", "delivered"],
    ["discord", 400, { code: 50_035, message: "Invalid Form Body" }, "failed"],
    ["discord", 401, { code: 50_027, message: "Invalid Webhook Token" }, "retry"],
    ["discord", 404, { code: 10_015, message: "Unknown Webhook" }, "gone"],
    ["discord", 404, { code: 10_003, message: "Unknown Channel" }, "retry"],
    ["discord", 404, "<html>", "retry"],
    ["discord", 429, { message: "You are being rate limited.", retry_after: 64.57, global: false }, "retry", "65"],
    ["teams", 200, "1", "delivered"],
    ["teams", 202, "", "delivered"],
    ["teams", 400, { error: { code: "InvalidRequestContent" } }, "failed"],
    ["teams", 404, { error: { code: "WorkflowNotFound" } }, "failed"],
    ["teams", 413, "", "failed"],
    ["telegram", 200, { ok: true, result: {} }, "delivered"],
    ["telegram", 200, "", "delivered"],
    ["telegram", 200, { ok: false, error_code: 403, description: "Forbidden: bot was kicked" }, "failed"],
    ["telegram", 200, { ok: false, error_code: 429, parameters: { retry_after: 7 } }, "retry", "7"],
    ["telegram", 200, { ok: false }, "retry"],
    ["telegram", 400, { ok: false, error_code: 400, description: "Bad Request: chat not found" }, "failed"],
    ["telegram", 401, { ok: false, error_code: 401, description: "Unauthorized" }, "failed"],
    ["telegram", 403, { ok: false, error_code: 403, description: "Forbidden: bot was blocked by the user" }, "failed"],
    ["telegram", 429, { ok: false, error_code: 429, parameters: { retry_after: 30 } }, "retry", "30"],
    ["telegram", 500, { ok: false, error_code: 500 }, "retry"],
    ["mattermost", 200, "ok", "delivered"],
    ["mattermost", 400, { id: "web.incoming_webhook.text.length.app_error" }, "failed"],
    ["mattermost", 404, { id: "web.incoming_webhook.invalid.app_error" }, "failed"],
    ["google_chat", 200, { name: "spaces/A/messages/B" }, "delivered"],
    ["google_chat", 400, { error: { status: "INVALID_ARGUMENT" } }, "failed"],
    ["google_chat", 404, { error: { status: "NOT_FOUND" } }, "failed"],
    [
      "google_chat",
      429,
      { error: { status: "RESOURCE_EXHAUSTED", details: [null, { retryDelay: "1.2s" }] } },
      "retry",
      "2",
    ],
    ["google_chat", 429, { error: { details: "none" } }, "retry"],
    ["ntfy", 200, { id: "x" }, "delivered"],
    ["ntfy", 400, { code: 40_024, http: 400 }, "failed"],
    ["ntfy", 413, { code: 41_301, http: 413 }, "failed"],
    ["ntfy", 507, { code: 50_701 }, "retry"],
    ["flat", 400, "", "retry"],
    ["flat", 404, "", "retry"],
    ["standard", 413, "", "retry"],
  ])("of %s, %i %j, is %s", (name, status, body, end, retryAfter) => {
    expect(ask(name, status, body)).toMatchObject({ end, ...(retryAfter !== undefined && { retryAfter }) });
  });

  it("of 410 is gone everywhere", () => {
    expect(names.filter((name) => ask(name, 410, "").end !== "gone")).toEqual([]);
  });

  it("of 429 waits as the header says where the body says nothing", () => {
    for (const name of names) expect(ask(name, 429, "", "12"), name).toEqual({ end: "retry", retryAfter: "12" });
  });

  it("of 400 or 413 fails a message of a chat for good", () => {
    for (const name of chats) for (const status of [400, 413]) expect(ask(name, status, "").end, name).toBe("failed");
  });

  it("of Telegram that says no counts as its code, with its reason", () => {
    const said = ask("telegram", 200, { ok: false, error_code: 403, description: "Forbidden: bot was kicked" });
    expect(said).toMatchObject({ status: 403, message: "Telegram answered ok: false, 403: Forbidden: bot was kicked" });
  });

  it("of nonsense never throws, and asks for no wait that is none", () => {
    const bodies = [
      "",
      "{",
      "null",
      "[]",
      "1",
      '"x"',
      '{"retry_after":-1}',
      '{"retry_after":"9"}',
      '{"retry_after":1e99}',
    ];
    const deep = [
      '{"parameters":null,"ok":false}',
      '{"parameters":5,"ok":false,"error_code":"x"}',
      '{"error":null}',
      '{"error":{"details":[1]}}',
    ];
    for (const name of names)
      for (const body of [...bodies, ...deep])
        expect(["retry", "gone", "failed"], `${name} ${body}`).toContain(ask(name, 429, body).end);
    for (const body of bodies) expect(ask("discord", 429, body).retryAfter).toBeUndefined();
  });
});
