import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStorage } from "../../../../../src/drivers/storage/memory.ts";
import type { Stored } from "../../../../../src/drivers/storage/types.ts";
import { harness } from "../../../../_support/backend.ts";
import { httpReceiver } from "../../../../_support/receivers.ts";
import { fault, submitted } from "../../submissions/_submissions.ts";

const url = "https://api.example.com/contacts";
const config = {
  method: "PUT",
  headers: { Authorization: "Bearer topsecret1234", "X-Team": "short" },
  body: '{"email":"{{email}}","all":{{all_fields}}}',
} as const;

async function opened(options: Parameters<typeof submitted>[0] = {}) {
  const storage = options.storage ?? memoryStorage();
  const b = await submitted({ storage, plans: { unlimited: { webhooks_per_form: 10 } }, ...options });
  const path = `/v1/forms/${b.id}/webhooks`;
  const record = async (): Promise<string> => {
    const row = (await storage.get("forms", [b.id])).get(b.id) as Stored;
    return JSON.stringify(row.value);
  };
  return Object.assign(b, { path, record });
}

async function withApi(options: Parameters<typeof submitted>[0] = {}) {
  const b = await opened(options);
  const { json } = await b.call("POST", b.path, { body: { url, format: "http", config } });
  const at = `${b.path}/${json.id}`;
  const sent = async () => {
    await b.submitted({ email: "ada@example.com" });
    await b.tick();
    return b.webhookCalls.at(-1);
  };
  return Object.assign(b, { made: json, hook: json.id as string, at, sent });
}

describe("a webhook of the format http", () => {
  it("is created with defaults, and its header values are masked", async () => {
    const { made } = await withApi();
    expect(made).toMatchObject({
      url,
      format: "http",
      config: {
        method: "PUT",
        headers: { Authorization: "…1234", "X-Team": "…" },
        content_type: "application/json",
        body: config.body,
        success: ["2xx"],
      },
    });
  });

  it("sends the filled-in template with its headers, signed", async () => {
    const b = await withApi();
    const call = await b.sent();
    expect(call).toMatchObject({ url, method: "PUT" });
    expect(JSON.parse(String(call?.body))).toEqual({ email: "ada@example.com", all: { email: "ada@example.com" } });
    expect(call?.headers).toMatchObject({ Authorization: "Bearer topsecret1234", "content-type": "application/json" });
    expect(Object.keys(call?.headers ?? {})).toEqual(expect.arrayContaining(["webhook-id", "webhook-signature"]));
  });

  it("shows a secret in no answer, stores none in plain text, and says what a dry run would send", async () => {
    const b = await withApi();
    await b.sent();
    const dry = await b.post(`${b.id}?dry_run=1`, new URLSearchParams({ email: "x@example.com" }), {
      accept: "application/json",
      authorization: `Bearer ${await b.keyWith("all")}`,
    });
    expect([dry.status, JSON.stringify(dry.json)]).toEqual([200, expect.stringContaining("x@example.com")]);
    const answers = await Promise.all([
      b.call("GET", b.path),
      b.call("GET", b.at),
      b.call("PATCH", b.at, { body: { description: "x" } }),
      b.call("POST", `${b.at}/rotate-secret`),
      b.call("POST", `${b.at}/test`),
      b.call("GET", `${b.at}/deliveries`),
      b.call("GET", `/v1/forms/${b.id}`),
    ]);
    const inProcess = [await b.webhooks.list(b.id), await b.forms.get(b.id), await b.webhooks.get(b.id, b.hook)];
    const texts = [dry.text, ...answers.map(({ text }) => text), JSON.stringify(inProcess), await b.record()];
    for (const text of texts) expect(text).not.toContain("topsecret");
    for (const { text } of answers) expect(text).not.toContain("sealed");
    expect(JSON.parse(await b.record()).webhooks[0].sealed_config).toEqual(expect.any(String));
  });

  it("is merged by a PATCH: a masked header stays, null removes one, others are added", async () => {
    const b = await withApi();
    const headers = { authorization: "…1234", "X-Team": null, "X-New": "new-value-5678" };
    const { json } = await b.call("PATCH", b.at, { body: { config: { headers, method: "PATCH" } } });
    expect(json.config).toMatchObject({
      method: "PATCH",
      body: config.body,
      headers: { Authorization: "…1234", "X-New": "…5678" },
    });
    const call = await b.sent();
    expect(call?.headers).toMatchObject({ Authorization: "Bearer topsecret1234", "X-New": "new-value-5678" });
    expect(call?.headers).not.toHaveProperty("X-Team");
  });

  it("does not take a stored secret along to another server", async () => {
    const b = await withApi();
    const other = "https://evil.example/take";
    const refused = await b.call("PATCH", b.at, { body: { url: other } });
    expect(fault(refused)).toEqual([400, "invalid_parameter", "config.headers.Authorization"]);
    const masked = await b.call("PATCH", b.at, {
      body: { url: other, config: { headers: { Authorization: "…1234", "X-Team": null } } },
    });
    expect(fault(masked)).toEqual([400, "invalid_parameter", "config.headers.Authorization"]);
    expect((await b.call("PATCH", b.at, { body: { url: `${url}/2` } })).status).toBe(200);
    const whole = await b.call("PATCH", b.at, {
      body: { url: other, config: { headers: { Authorization: "Basic abcdefgh", "X-Team": null } } },
    });
    expect(whole.json).toMatchObject({ url: other, config: { headers: { Authorization: "…efgh" } } });
    expect(JSON.stringify(whole.json)).not.toContain("X-Team");
  });

  it("loses its settings with its format, and needs them for a new one", async () => {
    const b = await withApi();
    const { json } = await b.call("PATCH", b.at, { body: { format: "standard" } });
    expect(json).not.toHaveProperty("config");
    expect(await b.record()).not.toContain("sealed_config");
    const again = await b.call("PATCH", b.at, { body: { format: "http" } });
    expect(fault(again)).toEqual([400, "invalid_parameter", "config.body"]);
  });

  it.each<readonly [object, string]>([
    [{ format: "http" }, "config.body"],
    [{ format: "standard", config: { body: "{}" } }, "config"],
    [{ format: "http", config: { body: '{"a": {{name}}}' } }, "config.body"],
    [{ format: "http", config: { body: `"${"x".repeat(32_767)}"` } }, "config.body"],
    [{ format: "http", config: { body: "a=ü", content_type: "application/x-www-form-urlencoded" } }, "config.body"],
    [{ format: "http", config: { body: "1", method: "GET" } }, "config.method"],
    [{ format: "http", config: { body: "1", content_type: "text/html" } }, "config.content_type"],
    [{ format: "http", config: { body: "1", success: ["9xx"] } }, "config.success.0"],
    [{ format: "http", config: { body: "1", success: [] } }, "config.success"],
    [{ format: "http", config: { body: "1", nonsense: 1 } }, "config.nonsense"],
    ...[
      "Host",
      "content-length",
      "Transfer-Encoding",
      "Connection",
      "te",
      "Upgrade",
      "Content-Type",
      "webhook-signature",
      "X-Service-Signature",
    ].map(
      (name) =>
        [{ format: "http", config: { body: "1", headers: { [name]: "x" } } }, `config.headers.${name}`] as const,
    ),
    [{ format: "http", config: { body: "1", headers: { "X-A": "a\r\nHost: evil.example" } } }, "config.headers.X-A"],
    [{ format: "http", config: { body: "1", headers: { "X-A": "…1234" } } }, "config.headers.X-A"],
    [{ format: "http", config: { body: "1", headers: { "X-A\r\nHost": "x" } } }, "config.headers"],
    [{ format: "http", config: { body: "1", headers: { "X-A": "1", "x-a": "2" } } }, "config.headers.x-a"],
    [
      {
        format: "http",
        config: { body: "1", headers: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, "x"])) },
      },
      "config.headers",
    ],
  ])("refuses %j at %s", async (body, param) => {
    const b = await opened();
    expect(fault(await b.call("POST", b.path, { body: { url, ...body } }))).toEqual([400, "invalid_parameter", param]);
    expect(await b.webhooks.list(b.id)).toEqual([]);
  });

  it("keeps the host's signature header for the signature", async () => {
    const b = await opened({ brand: { signatureHeader: "X-Acme-Signature" } });
    const headers = { "x-acme-signature": "forged" };
    const answer = await b.call("POST", b.path, { body: { url, format: "http", config: { body: "1", headers } } });
    expect(fault(answer)).toEqual([400, "invalid_parameter", "config.headers.x-acme-signature"]);
  });

  it("delivers by the statuses of its settings", async () => {
    const b = await withApi();
    const status = async () => (await b.deliveries.list(b.id, b.hook)).data[0];
    await b.webhooks.update(b.id, b.hook, { config: { success: [201, 409] } });
    b.answerWebhooks(409);
    await b.sent();
    expect(await status()).toMatchObject({ status: "succeeded", http_status: 409 });
    b.answerWebhooks(200);
    await b.sent();
    expect(await status()).toMatchObject({ status: "retrying", http_status: 200 });
    expect((await status())?.message).toMatch(/none of the statuses in config\.success/);
  });

  it("is tested over the network with its method, and answers the receiver's words without the secret that it repeats", async () => {
    const heard: unknown[] = [];
    const receiver = await httpReceiver((request, response) => {
      heard.push([request.method, request.headers["authorization"], request.headers["content-type"]]);
      response.writeHead(401).end("The key Bearer topsecret1234 is unknown here");
    });
    onTestFinished(() => receiver.close());
    const b = await opened({ webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } });
    const { id } = await b.webhooks.create(b.id, {
      url: `http://127.0.0.1:${receiver.port}/x`,
      format: "http",
      config,
    });
    const result = await b.webhooks.test(b.id, id);
    expect(result).toMatchObject({ delivered: false, http_status: 401 });
    expect(result.message).toMatch(/is unknown here/);
    expect(result.message).not.toContain("topsecret");
    expect(heard).toEqual([["PUT", "Bearer topsecret1234", "application/json"]]);
  });

  it.each(["http://169.254.169.254/latest", "http://[::1]/", "http://localhost/"])(
    "sends nothing to %s",
    async (inside) => {
      const b = await opened({ webhooks: { allowHttp: true } });
      const made = await b.call("POST", b.path, { body: { url: inside, format: "http", config } });
      if (made.status !== 201) {
        expect(fault(made)).toEqual([400, "invalid_parameter", "url"]);
        return;
      }
      expect(await b.webhooks.test(b.id, made.json.id)).toMatchObject({
        delivered: false,
        node_error_code: "EBLOCKED",
      });
    },
  );

  it("ends a delivery whose template multiplies the submission, and says so", async () => {
    const b = await withApi();
    const body = `"${"{{#fields}}{{#a}}{{a}}{{/a}}{{/fields}}".repeat(800)}"`;
    await b.webhooks.update(b.id, b.hook, { config: { body } });
    await b.submitted({ a: Array.from({ length: 60 }, (_, n) => `${n}`) });
    await b.tick();
    const [delivery] = (await b.deliveries.list(b.id, b.hook)).data;
    expect(delivery).toMatchObject({ status: "failed", message: expect.stringMatching(/makes the body .* too long/) });
  });

  it("is encrypted again under a new secret", async () => {
    const storage = memoryStorage();
    const [old, fresh] = ["o".repeat(32), "n".repeat(32)];
    const b = await withApi({ storage, secret: old });
    const before = JSON.parse(await b.record()).webhooks[0].sealed_config;
    const rotated = harness({ storage, secret: [fresh, old] });
    expect(await rotated.secrets.reseal()).toMatchObject({ left: 0 });
    expect(JSON.parse(await b.record()).webhooks[0].sealed_config).not.toBe(before);
    const alone = harness({ storage, secret: fresh });
    await alone.webhooks.test(b.id, b.hook);
    expect(alone.webhookCalls[0]?.headers).toMatchObject({ Authorization: "Bearer topsecret1234" });
  });
});
