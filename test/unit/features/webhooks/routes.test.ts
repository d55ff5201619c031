import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { verifyWebhook } from "../../../../src/index.ts";
import { fault, type Submitted, submitted } from "../submissions/_submissions.ts";

const url = "https://hooks.example.com/a";
const DAY = 24 * 60 * 60 * 1_000;

async function hooked(options: Parameters<typeof submitted>[0] = {}) {
  const b = await submitted(options);
  const path = `/v1/forms/${b.id}/webhooks`;
  const { json } = await b.call("POST", path, { body: { url } });
  const { secret, ...webhook } = json;
  return Object.assign(b, { path, webhook, secret: secret as string, at: `${path}/${webhook.id}` });
}

/** What verifies the last call: names of those of `secrets` that do. */
async function verifying(b: Submitted, secrets: Record<string, string>): Promise<string[]> {
  const call = b.webhookCalls.at(-1);
  if (!call) return [];
  return Object.keys(secrets).filter((name) => {
    try {
      verifyWebhook(call.body, call.headers, secrets[name] as string, { now: b.clock.now() });
      return true;
    } catch {
      return false;
    }
  });
}

describe("POST /v1/forms/{form_id}/webhooks", () => {
  it("answers 201 Webhook with its secret, shown once", async () => {
    const b = await submitted();
    const { status, json } = await b.call("POST", `/v1/forms/${b.id}/webhooks`, { body: { url } });
    expect(status).toBe(201);
    expect(json).toEqual({
      id: expect.stringMatching(/^whk_[0-9a-f]{24}$/),
      url,
      enabled: true,
      description: "",
      events: ["submission.created"],
      signing: { algorithm: "hmac-sha256", header: "X-Service-Signature" },
      last_delivery: null,
      created_at: "2026-01-01T00:00:00.000Z",
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const texts = await Promise.all([
      b.call("GET", `/v1/forms/${b.id}/webhooks`),
      b.call("GET", `/v1/forms/${b.id}/webhooks/${json.id}`),
      b.call("PATCH", `/v1/forms/${b.id}/webhooks/${json.id}`, { body: { description: "x" } }),
      b.call("GET", `/v1/forms/${b.id}`),
      b.call("GET", "/v1/forms"),
    ]);
    for (const { text } of texts) expect(text).not.toMatch(/secret"|whsec_|sealed/);
  });

  it("takes url, enabled, description, events", async () => {
    const b = await submitted();
    const body = { url, enabled: false, description: "CRM", events: ["submission.created", "submission.created"] };
    const { json } = await b.call("POST", `/v1/forms/${b.id}/webhooks`, { body });
    expect(json).toMatchObject({ url, enabled: false, description: "CRM", events: ["submission.created"] });
  });

  const bad: [body: unknown, param: string][] = [
    [{}, "url"],
    [{ url: "" }, "url"],
    [{ url: "nonsense" }, "url"],
    [{ url: "http://hooks.example.com/" }, "url"],
    [{ url: "ftp://hooks.example.com/" }, "url"],
    [{ url: "https://127.0.0.1/" }, "url"],
    [{ url: "https://[::1]/" }, "url"],
    [{ url: "https://2130706433/" }, "url"],
    [{ url: "https://user:pass@hooks.example.com/" }, "url"],
    [{ url: `https://hooks.example.com/${"x".repeat(2048)}` }, "url"],
    [{ url, enabled: "yes" }, "enabled"],
    [{ url, description: "x".repeat(501) }, "description"],
    [{ url, events: [] }, "events"],
    [{ url, events: ["submission.read"] }, "events.0"],
    [{ url, secret: "mine" }, "secret"],
    [{ url, id: "whk_x" }, "id"],
    [{ url, signing: {} }, "signing"],
  ];
  for (const [body, param] of bad) {
    it(`400 invalid_parameter on ${param}: ${JSON.stringify(body).slice(0, 60)}`, async () => {
      const b = await submitted();
      const answer = await b.call("POST", `/v1/forms/${b.id}/webhooks`, { body });
      expect(fault(answer)).toEqual([400, "invalid_parameter", param]);
      expect(await b.webhooks.list(b.id)).toEqual([]);
    });
  }

  it("403 plan_restricted: webhooks per form, one for now", async () => {
    const b = await hooked();
    const answer = await b.call("POST", b.path, { body: { url: "https://hooks.example.com/b" } });
    expect(fault(answer)).toEqual([403, "plan_restricted", "webhooks"]);
    expect(await b.webhooks.list(b.id)).toHaveLength(1);
  });

  it("409 webhook_url_taken, on create and on PATCH", async () => {
    const b = await hooked({ plans: { unlimited: { webhooks_per_form: null } } });
    expect(fault(await b.call("POST", b.path, { body: { url } }))).toEqual([409, "webhook_url_taken", "url"]);
    const second = await b.call("POST", b.path, { body: { url: "https://hooks.example.com/b" } });
    const answer = await b.call("PATCH", `${b.path}/${second.json.id}`, { body: { url } });
    expect(fault(answer)).toEqual([409, "webhook_url_taken", "url"]);
    expect((await b.call("PATCH", b.at, { body: { url } })).status).toBe(200);
  });

  it("keeps to the plan when several are created at once", async () => {
    const b = await submitted({ plans: { unlimited: { webhooks_per_form: 2 } } });
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        b.call("POST", `/v1/forms/${b.id}/webhooks`, { body: { url: `https://hooks.example.com/${n}` } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403]);
    expect(await b.webhooks.list(b.id)).toHaveLength(2);
  });
});

describe("GET /v1/forms/{form_id}/webhooks", () => {
  it("answers {data: array of Webhook}, the same objects as the form's", async () => {
    const b = await hooked();
    const { status, json } = await b.call("GET", b.path);
    expect([status, json]).toEqual([200, { data: [b.webhook] }]);
    expect((await b.call("GET", b.at)).json).toEqual(b.webhook);
    expect((await b.call("GET", `/v1/forms/${b.id}`)).json.webhooks).toEqual([b.webhook]);
  });

  it("last_delivery is the newest delivery", async () => {
    const b = await hooked();
    b.answerWebhooks(503);
    await b.submitted({ n: "1" });
    await b.tick();
    const { json } = await b.call("GET", b.at);
    expect(json.last_delivery).toEqual({
      at: "2026-01-01T00:00:01.000Z",
      status: "retrying",
      response_status: 503,
      attempt: 1,
    });
  });
});

describe("PATCH and DELETE /v1/forms/{form_id}/webhooks/{webhook_id}", () => {
  it("changes what is sent and leaves the rest", async () => {
    const b = await hooked();
    const change = async (body: object) => (await b.call("PATCH", b.at, { body })).json;
    expect(await change({ description: "CRM" })).toEqual({ ...b.webhook, description: "CRM" });
    expect(await change({ enabled: false })).toEqual({ ...b.webhook, description: "CRM", enabled: false });
    expect(await change({})).toEqual({ ...b.webhook, description: "CRM", enabled: false });
    const moved = "https://hooks.example.com/b";
    expect(await change({ url: moved, enabled: true, description: "" })).toEqual({ ...b.webhook, url: moved });
  });

  it("400 invalid_parameter with the read-only or wrong field", async () => {
    const b = await hooked();
    for (const [body, param] of [
      [{ id: "x" }, "id"],
      [{ secret: "x" }, "secret"],
      [{ created_at: "x" }, "created_at"],
      [{ last_delivery: null }, "last_delivery"],
      [{ url: "http://10.0.0.1/" }, "url"],
      [{ url: null }, "url"],
      [{ events: ["x"] }, "events.0"],
    ] as const) {
      expect(fault(await b.call("PATCH", b.at, { body }))).toEqual([400, "invalid_parameter", param]);
    }
    expect((await b.call("GET", b.at)).json).toEqual(b.webhook);
  });

  it("deletes, and later submissions are not sent", async () => {
    const b = await hooked();
    const { status, json } = await b.call("DELETE", b.at);
    expect([status, json]).toEqual([200, { id: b.webhook.id, deleted: true }]);
    await b.submitted({ n: "1" });
    await b.tick();
    expect(b.webhookCalls).toEqual([]);
  });

  it("404 webhook_not_found: unknown, longer than ids are, of another form, deleted", async () => {
    const b = await hooked();
    const other = await b.forms.create({ name: "Other" });
    const paths = [
      `${b.path}/whk_000000000000000000000000`,
      `${b.path}/whk_${"0".repeat(100)}`,
      `/v1/forms/${other.id}/webhooks/${b.webhook.id}`,
    ];
    await b.call("DELETE", b.at);
    for (const path of [...paths, b.at]) {
      const calls: [string, string, unknown][] = [
        ["GET", "", undefined],
        ["PATCH", "", { enabled: true }],
        ["DELETE", "", undefined],
        ["POST", "/rotate-secret", undefined],
        ["POST", "/test", undefined],
        ["GET", "/deliveries", undefined],
        ["GET", "/deliveries/0123", undefined],
        ["POST", "/deliveries/0123/redeliver", undefined],
      ];
      for (const [method, rest, body] of calls) {
        expect(fault(await b.call(method, path + rest, { body })), method + path + rest).toEqual([
          404,
          "webhook_not_found",
          undefined,
        ]);
      }
    }
  });
});

describe("POST …/rotate-secret", () => {
  it("answers the Webhook and its new secret; the old one also signs for 24 h", async () => {
    const b = await hooked();
    const { status, json } = await b.call("POST", `${b.at}/rotate-secret`);
    expect(status).toBe(200);
    const { secret, ...webhook } = json;
    expect(webhook).toEqual(b.webhook);
    expect(secret).not.toBe(b.secret);
    const secrets = { old: b.secret, new: secret };
    await b.submitted({ n: "1" });
    await b.tick();
    expect(await verifying(b, secrets)).toEqual(["old", "new"]);
    await b.clock.advance(DAY);
    await b.submitted({ n: "2" });
    await b.tick();
    expect(await verifying(b, secrets)).toEqual(["new"]);
  });

  it("ends the old secrets at once where that is asked for, also after two rotations", async () => {
    const b = await hooked();
    const first = (await b.call("POST", `${b.at}/rotate-secret`, { body: { expire_previous: false } })).json.secret;
    await b.call("POST", `${b.at}/rotate-secret`);
    const { json } = await b.call("POST", `${b.at}/rotate-secret`, { body: { expire_previous: true } });
    await b.submitted({ n: "1" });
    await b.tick();
    expect(await verifying(b, { old: b.secret, first, new: json.secret })).toEqual(["new"]);
    const wrong = await b.call("POST", `${b.at}/rotate-secret`, { body: { expire_previous: "yes" } });
    expect(fault(wrong)).toEqual([400, "invalid_parameter", "expire_previous"]);
    const text = await b.call("POST", `${b.at}/rotate-secret`, {
      body: "{}",
      headers: { "content-type": "text/plain" },
    });
    expect(text.status).toBe(415);
  });

  it("400 invalid_parameter on a third rotation within 24 h", async () => {
    const b = await hooked();
    expect((await b.call("POST", `${b.at}/rotate-secret`)).status).toBe(200);
    expect((await b.call("POST", `${b.at}/rotate-secret`)).status).toBe(200);
    expect(fault(await b.call("POST", `${b.at}/rotate-secret`))).toEqual([400, "invalid_parameter", "expire_previous"]);
    await b.clock.advance(DAY);
    expect((await b.call("POST", `${b.at}/rotate-secret`)).status).toBe(200);
  });
});

describe("POST …/test", () => {
  it("sends one signed submission.test now and answers how it went; nothing is logged", async () => {
    const b = await hooked();
    expect((await b.call("POST", `${b.at}/test`)).json).toEqual({
      delivered: true,
      http_status: 200,
      node_error_code: null,
      duration_ms: 0,
    });
    expect(b.webhookCalls).toHaveLength(1);
    expect(b.webhookCalls[0]?.headers).toMatchObject({ "X-Service-Event": "submission.test" });
    expect(JSON.parse(b.webhookCalls[0]?.body ?? "")).toMatchObject({
      type: "submission.test",
      data: { form_id: b.id },
    });
    expect(await verifying(b, { secret: b.secret })).toEqual(["secret"]);
    b.answerWebhooks(500);
    const { status, json } = await b.call("POST", `${b.at}/test`);
    expect([status, json.delivered, json.http_status]).toEqual([200, false, 500]);
    await b.clock.advance(DAY);
    expect(b.webhookCalls).toHaveLength(2);
    expect((await b.call("GET", `${b.at}/deliveries`)).json.data).toEqual([]);
  });

  it("reaches a paused webhook too, and names the network error where there was no answer", async () => {
    const b = await hooked({ webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } });
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const paused = { url: `http://127.0.0.1:${port}/`, enabled: false };
    expect((await b.call("PATCH", b.at, { body: paused })).status).toBe(200);
    expect((await b.call("POST", `${b.at}/test`)).json).toMatchObject({
      delivered: false,
      http_status: null,
      node_error_code: "ECONNREFUSED",
    });
  });
});

describe("scopes of webhooks and deliveries", () => {
  const rows: [method: string, rest: string, scope: string][] = [
    ["GET", "", "forms:read"],
    ["POST", "", "forms:write"],
    ["GET", "/w", "forms:read"],
    ["PATCH", "/w", "forms:write"],
    ["DELETE", "/w", "forms:write"],
    ["POST", "/w/rotate-secret", "forms:write"],
    ["POST", "/w/test", "forms:write"],
    ["GET", "/w/deliveries", "submissions:read"],
    ["GET", "/w/deliveries/s", "submissions:read"],
    ["POST", "/w/deliveries/s/redeliver", "forms:write"],
  ];
  const scopes = ["forms:read", "forms:write", "submissions:read", "submissions:write"] as const;
  for (const [method, rest, scope] of rows) {
    it(`403 insufficient_scope: ${method} …/webhooks${rest} needs ${scope}`, async () => {
      const b = await submitted();
      const path = `/v1/forms/${b.id}/webhooks${rest}`;
      const without = await b.keyWith(scopes.filter((one) => one !== scope));
      const { status, json } = await b.call(method, path, { key: without, body: method === "GET" ? undefined : {} });
      expect([status, json.error.code, json.error.required]).toEqual([403, "insufficient_scope", [scope]]);
      const only = await b.keyWith([scope as "forms:read"]);
      expect((await b.call(method, path, { key: only, body: method === "GET" ? undefined : {} })).status).not.toBe(403);
    });
  }
});
