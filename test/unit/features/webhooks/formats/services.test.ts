import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyWebhook } from "../../../../../src/index.ts";
import { urls } from "../../../../_support/format-events.ts";
import { hookedTo, localUrl, type Played, play, type Said, type Service } from "./_services.ts";

let service: Played;
beforeEach(async () => {
  service = await play();
});
afterEach(() => service.close());

const hooked = (format: Service) => hookedTo(format, localUrl(urls[format], service));
const services = (Object.keys(urls) as (keyof typeof urls)[]).filter((name) => name !== "standard");

/** Submits once, lets it be delivered once, and answers the delivery and the webhook. */
async function delivered(format: Service, said: Said) {
  service.answer(said);
  const b = await hooked(format);
  const submission = await b.submitted({ email: "ada@example.com" });
  await b.tick();
  const delivery = (await b.call("GET", `${b.path}/${b.hook}/deliveries/${submission}`)).json;
  const webhook = (await b.call("GET", `${b.path}/${b.hook}`)).json;
  return { b, delivery, webhook };
}

describe("an accepted message", () => {
  it.each<[Service, Said, string]>([
    ["flat", { status: 200, body: { status: "success" } }, urls.flat],
    ["slack", { status: 200, body: "ok" }, urls.slack],
    ["discord", { status: 200, body: { id: "1" } }, `${urls.discord}?wait=true`],
    ["teams", { status: 202 }, urls.teams],
    ["telegram", { status: 200, body: { ok: true, result: { message_id: 1 } } }, urls.telegram.replace(/\?.*/, "")],
    ["mattermost", { status: 200, body: "ok" }, urls.mattermost],
    ["google_chat", { status: 200, body: { name: "spaces/A/messages/B" } }, urls.google_chat],
    ["ntfy", { status: 200, body: { id: "x", event: "message" } }, "https://ntfy.sh/"],
  ])("to %s succeeds, at the address that the service wants", async (format, said, address) => {
    const { delivery, webhook } = await delivered(format, said);
    expect(delivery).toMatchObject({ status: "succeeded", code: "SUCCESS", http_status: said.status, attempt: 1 });
    expect(webhook.enabled).toBe(true);
    expect(service.heard).toHaveLength(1);
    const { pathname, search } = new URL(address);
    expect(service.heard[0]?.path).toBe(pathname + search);
    expect(service.heard[0]?.headers["content-type"]).toMatch(/^application\/json/);
    expect(JSON.stringify(service.heard[0]?.body).replace(/[\\\u200b]|&#46;/g, "")).toContain("ada@example");
  });

  it("carries signatures to flat, and to no chat", async () => {
    for (const format of services) {
      const { headers } = (await delivered(format, { status: 200 })) && (service.heard.at(-1) ?? { headers: {} });
      const own = Object.keys(headers).filter((name) => /^(?:webhook-|x-)/.test(name));
      expect(own.length > 0, format).toBe(format === "flat");
    }
  });

  it.each<[Service, Said, string]>([
    ["slack", { status: 404, body: "no_service" }, "no_service"],
    ["telegram", { status: 200, body: { ok: false, description: "chat not found" } }, "chat not found"],
  ])("a test of %s tells what the service said", async (format, said, words) => {
    service.answer(said);
    const b = await hooked(format);
    expect(await b.webhooks.test(b.id, b.hook)).toMatchObject({
      delivered: false,
      http_status: said.status,
      message: expect.stringContaining(words),
    });
  });

  it("to flat is verified like any other", async () => {
    const b = await hooked("flat");
    const { json } = await b.call("POST", `${b.path}/${b.hook}/rotate-secret`);
    await b.submitted({ email: "ada@example.com" });
    await b.tick();
    const call = b.webhookCalls.at(-1);
    expect(verifyWebhook(call?.body ?? "", call?.headers ?? {}, json.secret, { now: b.clock.now() })).toMatchObject({
      email: "ada@example.com",
      form_id: b.id,
    });
  });
});

describe("a revoked webhook", () => {
  it.each<[Service, Said, number]>([
    ["slack", { status: 404, body: "no_service" }, 404],
    ["slack", { status: 410, body: "channel_is_archived" }, 410],
    ["discord", { status: 404, body: { message: "Unknown Webhook", code: 10_015 } }, 404],
    ...services.map((format): [Service, Said, number] => [format, { status: 410 }, 410]),
  ])("of %s, answering %j, is paused, and its owner told once", async (format, said, status) => {
    const { b, delivery, webhook } = await delivered(format, said);
    expect(delivery).toMatchObject({ status: "failed", http_status: status, attempt: 1 });
    expect(webhook.enabled).toBe(false);
    await b.submitted({ email: "two@example.com" });
    await b.clock.advance(4 * 24 * 60 * 60 * 1_000);
    expect(service.heard).toHaveLength(1);
    const notices = b.mails.filter(({ subject }) => subject.includes("was turned off"));
    expect(notices).toHaveLength(1);
    expect(notices[0]?.text.replace(/\s+/g, " ")).toContain(
      status === 410
        ? "returned 410 Gone, which means that it wants no more deliveries."
        : "returned 404, which means that the webhook was deleted there.",
    );
    expect(notices[0]?.text).not.toContain(new URL(urls[format]).pathname.slice(1));
  });
});

describe("a message that is refused for good", () => {
  it.each<[Service, Said, number]>([
    ["slack", { status: 400, body: "msg_blocks_too_long" }, 400],
    ["discord", { status: 400, body: { code: 50_035, message: "Invalid Form Body" } }, 400],
    ["teams", { status: 413, body: "" }, 413],
    ["teams", { status: 404, body: { error: { code: "WorkflowNotFound" } } }, 404],
    [
      "telegram",
      { status: 400, body: { ok: false, error_code: 400, description: "Bad Request: message is too long" } },
      400,
    ],
    ["telegram", { status: 401, body: { ok: false, error_code: 401, description: "Unauthorized" } }, 401],
    ["telegram", { status: 403, body: { ok: false, error_code: 403, description: "Forbidden: bot was kicked" } }, 403],
    ["telegram", { status: 200, body: { ok: false, error_code: 403, description: "Forbidden: bot was kicked" } }, 403],
    ["mattermost", { status: 400, body: { id: "web.incoming_webhook.text.length.app_error" } }, 400],
    ["mattermost", { status: 404, body: { id: "web.incoming_webhook.invalid.app_error" } }, 404],
    ["google_chat", { status: 400, body: { error: { status: "INVALID_ARGUMENT" } } }, 400],
    ["google_chat", { status: 404, body: { error: { status: "NOT_FOUND" } } }, 404],
    ["ntfy", { status: 413, body: { code: 41_301, error: "attachment too large" } }, 413],
  ])("by %s, answering %j, fails without another try, and the webhook stays on", async (format, said, status) => {
    const { b, delivery, webhook } = await delivered(format, said);
    expect(delivery).toMatchObject({
      status: "failed",
      code: "ERROR_WEBHOOK_HTTP_4XX",
      http_status: status,
      attempt: 1,
    });
    const reason = (said.body as { description?: string } | undefined)?.description;
    if (reason) expect(delivery.message).toContain(reason);
    expect(webhook.enabled).toBe(true);
    await b.clock.advance(4 * 24 * 60 * 60 * 1_000);
    expect(service.heard).toHaveLength(1);
  });
});

describe("a rate limit", () => {
  it.each<[Service, Said, number]>([
    ["slack", { status: 429, headers: { "retry-after": "30" }, body: "rate_limited" }, 30],
    ["discord", { status: 429, headers: { "retry-after": "1" }, body: { retry_after: 64.57, global: false } }, 65],
    ["teams", { status: 429, headers: { "retry-after": "20" } }, 20],
    ["telegram", { status: 429, body: { ok: false, error_code: 429, parameters: { retry_after: 35 } } }, 35],
    ["telegram", { status: 200, body: { ok: false, error_code: 429, parameters: { retry_after: 35 } } }, 35],
    ["mattermost", { status: 429, headers: { "retry-after": "10" } }, 10],
    ["google_chat", { status: 429, body: { error: { details: [{ retryDelay: "45s" }] } } }, 45],
    ["ntfy", { status: 429, headers: { "retry-after": "90" } }, 90],
  ])("of %s, answering %j, waits exactly %i s", async (format, said, wait) => {
    const { b, delivery, webhook } = await delivered(format, said);
    expect(delivery).toMatchObject({ status: "retrying", http_status: 429, attempt: 1 });
    expect(webhook.enabled).toBe(true);
    service.answer({ status: 200 });
    await b.clock.advance(wait * 1_000 - 1);
    expect(service.heard).toHaveLength(1);
    await b.clock.advance(1);
    expect(service.heard).toHaveLength(2);
    const again = (await b.call("GET", `${b.path}/${b.hook}/deliveries`)).json.data[0];
    expect(again).toMatchObject({ status: "succeeded", attempt: 2 });
  });

  it("of a receiver of one's own keeps its minute", async () => {
    const { b } = await delivered("flat", { status: 429, headers: { "retry-after": "2" } });
    await b.clock.advance(59_000);
    expect(service.heard).toHaveLength(1);
    // 60 s and at most a fifth more.
    await b.clock.advance(14_000);
    expect(service.heard).toHaveLength(2);
  });
});

describe("an answer that may pass", () => {
  it.each<[Service, Said]>([
    ...services.map((format): [Service, Said] => [format, { status: 503, body: "down" }]),
    ["slack", { status: 403, body: "action_prohibited" }],
    ["discord", { status: 404, body: { code: 10_003, message: "Unknown Channel" } }],
    ["telegram", { status: 200, body: { ok: false } }],
    ["flat", { status: 400 }],
  ])("of %s, %j, is tried again", async (format, said) => {
    const { delivery, webhook } = await delivered(format, said);
    expect(delivery).toMatchObject({ status: "retrying", attempt: 1 });
    expect(webhook.enabled).toBe(true);
  });

  it("is a success for Telegram where the body is cut off, because the message may be there", async () => {
    const { delivery } = await delivered("telegram", {
      status: 200,
      body: '{"ok":fal',
      headers: { "content-length": "500" },
    });
    expect(delivery).toMatchObject({ status: "succeeded" });
  });
});

describe("a test event", () => {
  it.each(services)("to %s arrives, and says whether it was taken", async (format) => {
    const b = await hooked(format);
    expect((await b.call("POST", `${b.path}/${b.hook}/test`)).json).toMatchObject({
      delivered: true,
      http_status: 200,
    });
    expect(JSON.stringify(service.heard[0]?.body)).toContain("This is a test");
  });

  it("to Telegram that says no was not delivered", async () => {
    const b = await hooked("telegram");
    service.answer({ status: 200, body: { ok: false, error_code: 400, description: "chat not found" } });
    expect((await b.call("POST", `${b.path}/${b.hook}/test`)).json).toMatchObject({
      delivered: false,
      http_status: 400,
    });
  });
});
