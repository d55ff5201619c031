import { describe, expect, it } from "vitest";
import { createFormBackend, memoryStorage, type StorageDriver } from "../../src/index.ts";
import type { OpenApiDocument } from "../../src/surfaces/api/document.ts";
import { type Answer, type Harness, harness } from "../_support/backend.ts";
import { httpReceiver } from "../_support/receivers.ts";
import { pixelPng, png, svg, webpLossy } from "./features/images/_images.ts";
import { AUDIENCE, signer } from "./features/keys/_issuer.ts";

// One test for each line of the contract's tables, under the line's own words, so that either is found from the other.
// The folders beside this file go into each of them.

const DAY = 24 * 60 * 60 * 1_000;
const MB = 1024 * 1024;

/** Status, code and `param` of an error in its envelope. */
const fault = ({ status, json }: Answer) => [status, json?.error?.type, json?.error?.code, json?.error?.param];

const upload = (b: Harness, form: string, use: string, file: Buffer, name?: string): Promise<Answer> => {
  const parts = new FormData();
  parts.append("use", use);
  if (name !== undefined) parts.append("name", name);
  parts.append("file", new Blob([file]), "logo.png");
  return b
    .fetch(
      new Request(`${b.baseUrl}/v1/forms/${form}/images`, {
        method: "POST",
        headers: { authorization: `Bearer ${b.key}` },
        body: parts,
      }),
    )
    .then(async (response) => ({
      status: response.status,
      headers: response.headers,
      text: "",
      json: await response.json(),
    }));
};

describe("Resources and their fields", () => {
  const { schemas } = (harness().openapi() as OpenApiDocument).components;
  type Members = { properties?: Record<string, Members>; items?: Members };
  const at = (name: string, path: string): string[] => {
    const found = path
      .split(".")
      .reduce<Members | undefined>(
        (schema, key) => (key === "" ? schema : schema?.properties?.[key]),
        schemas[name] as Members,
      );
    return Object.keys((found?.items ?? found)?.properties ?? {}).sort();
  };
  const words = (text: string): string[] => text.split(" ").sort();

  it.each([
    [
      "Form",
      "",
      "id team_id name endpoint active avatar folder_id created_at last_submission_at submissions storage spam self_email_notification auto_response after_submit webhooks validation",
    ],
    ["Form", "submissions", "this_month all_time"],
    ["Form", "storage", "store_submissions keep_for"],
    ["Form", "spam", "protection captcha"],
    ["Form", "spam.captcha", "provider secret_key_set"],
    ["Form", "self_email_notification", "enabled recipients include_spam subject logo_url logo_height template sender"],
    ["Form", "self_email_notification.template", "type theme html"],
    ["Form", "self_email_notification.sender", "type server_id name email"],
    ["Form", "auto_response", "enabled subject from_name logo_url logo_height template"],
    ["Form", "auto_response.template", "type theme message html"],
    ["Form", "after_submit", "type page redirect"],
    [
      "Form",
      "after_submit.page",
      "theme mode headline message logo_url logo_dark_url logo_size primary_color secondary_color return_button download_button",
    ],
    ["Form", "after_submit.page.return_button", "text url"],
    ["Form", "after_submit.page.download_button", "text url"],
    ["Form", "after_submit.redirect", "success_url fail_url append_submission_to_url"],
    ["Form", "validation", "enabled rules"],
    ["Form", "validation.rules", "field checks"],
    ["Webhook", "", "id url format config enabled description events signing last_delivery created_at"],
    ["Webhook", "signing", "algorithm header"],
    ["Delivery", "", "submission_id webhook_id status code attempt http_status node_error_code message occurred_at"],
    [
      "Submission",
      "",
      "id form_id created_at spam read ip country user_agent referer fields attachments source over_quota work",
    ],
    ["Submission", "fields", "key value"],
    ["Submission", "attachments", "key url mime_type"],
    ["FieldStatistic", "", "name count last_seen"],
    ["FieldList", "", "data submissions_read"],
    ["Error", "error", "type code message param required request_id"],
    ["FormList", "", "data has_more next_cursor"],
    ["SubmissionList", "", "data has_more next_cursor"],
    ["RecipientList", "", "data"],
    ["WebhookList", "", "data"],
    ["DeliveryList", "", "data has_more"],
    ["UploadedImage", "", "id url use name mime_type size width height"],
    ["FormDeleted", "", "id deleted"],
    ["WebhookDeleted", "", "id deleted"],
    ["SubmissionDeleted", "", "id deleted"],
    ["Me", "", "auth key_id workspace teams scopes form_ids expires_at"],
    ["WebhookTest", "", "delivered http_status node_error_code duration_ms message"],
    ["SubmissionBulkResult", "", "changed not_found"],
    ["ErasureReceipt", "erased", "submissions files deliveries"],
  ])("%s %s: %s", (name, path, members) => {
    expect(at(name, path)).toEqual(words(members));
  });

  it.each(["Form", "Submission", "Webhook", "Me", "UploadedImage"])("%s: every member is always there", (name) => {
    const { required, properties } = schemas[name] as { required: string[]; properties: object };
    // The extensions leave `format` out where it is `standard`, `config` where a format has none, `source` where none was kept, `over_quota` within the month, and `work` unless it is asked for.
    const optional = { Webhook: ["format", "config"], Submission: ["over_quota", "source", "work"] }[name] ?? [];
    const always = Object.keys(properties).filter((member) => !optional.includes(member));
    expect([...required].sort()).toEqual(always.sort());
  });
});

describe("Errors", () => {
  it("400 | invalid_request_error | invalid_parameter | Missing, unknown, read-only or wrong-valued field; `param` names it", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const create = (body: unknown) => b.call("POST", "/v1/forms", { body });
    const line = (param: string) => [400, "invalid_request_error", "invalid_parameter", param];
    expect(fault(await create({}))).toEqual(line("name"));
    expect(fault(await create({ name: "A", spam: { colour: 1 } }))).toEqual(line("spam.colour"));
    expect(fault(await b.call("PATCH", `/v1/forms/${form.id}`, { body: { endpoint: "x" } }))).toEqual(line("endpoint"));
    expect(fault(await create({ name: 1 }))).toEqual(line("name"));
    expect(fault(await create({ name: "A", self_email_notification: { sender: { server_id: "srv_none" } } }))).toEqual(
      line("self_email_notification.sender.server_id"),
    );
  });

  it("400 says whether a field is missing or of the wrong type", async () => {
    const b = harness();
    const message = async (body: unknown) => (await b.call("POST", "/v1/forms", { body })).json.error.message;
    expect(await message({})).toBe("`name` is required.");
    expect(await message({ name: 1 })).toBe("`name` must be a string.");
    expect(await message({ name: "A", active: "yes" })).toBe("`active` must be a boolean.");
    expect(await message({ name: "A", self_email_notification: { recipients: {} } })).toBe(
      "`self_email_notification.recipients` must be an array.",
    );
  });

  it("Malformed JSON is 400 `invalid_parameter` without `param`", async () => {
    const answer = await harness().call("POST", "/v1/forms", {
      body: '{"name":',
      headers: { "content-type": "application/json" },
    });
    expect(fault(answer)).toEqual([400, "invalid_request_error", "invalid_parameter", undefined]);
  });

  it.each([
    ["no header", {}],
    ["the header api_key", { api_key: "KEY" }],
    ["another scheme", { authorization: "Basic KEY" }],
    ["no token", { authorization: "Bearer " }],
  ])("401 | authentication_error | missing_bearer | No usable key or token sent: %s", async (_, headers) => {
    const b = harness();
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace("KEY", b.key)]),
    );
    expect(fault(await b.call("GET", "/v1/me", { key: null, headers: sent }))).toEqual([
      401,
      "authentication_error",
      "missing_bearer",
      undefined,
    ]);
  });

  it("401 | authentication_error | invalid_key | Key or token unknown, revoked or expired", async () => {
    const b = harness();
    const ask = async (key: string) => fault(await b.call("GET", "/v1/me", { key }));
    const line = [401, "authentication_error", "invalid_key", undefined];
    const { id, key: revoked } = await b.keys.create({ name: "k", scopes: "all" });
    expect((await b.call("GET", "/v1/me", { key: revoked })).status).toBe(200);
    await b.keys.revoke(id);
    const expired = await b.keyWith("all", { expires_at: new Date(b.clock.now() + 1_000).toISOString() });
    await b.clock.advance(1_000);
    for (const key of ["fb_live_unknown", "nonsense", `${b.key.slice(0, -1)}!`, revoked, expired])
      expect(await ask(key), key).toEqual(line);
  });

  it("401 | authentication_error | wrong_audience | Token issued for a different resource", async () => {
    const { jwk, token } = await signer("k1");
    const issuer = "https://id.example.com";
    const b = harness({ oauth: { issuer, audience: AUDIENCE, jwks: { keys: [jwk] } } });
    const ask = async (aud: string) =>
      fault(
        await b.call("GET", "/v1/me", {
          key: await token(issuer, { aud, team_ids: ["default"], scope: "forms:read" }),
        }),
      );
    expect(await ask("https://other.example.com")).toEqual([401, "authentication_error", "wrong_audience", undefined]);
    expect((await ask(AUDIENCE))[0]).toBe(200);
  });

  it("403 | permission_error | insufficient_scope | Scope missing; `required` lists it", async () => {
    const b = harness();
    const answer = await b.call("POST", "/v1/forms", { key: await b.keyWith(["forms:read"]), body: { name: "A" } });
    expect(fault(answer)).toEqual([403, "permission_error", "insufficient_scope", undefined]);
    expect(answer.json.error.required).toEqual(["forms:write"]);
  });

  it("403 | permission_error | form_access_restricted | Key restricted to specific forms", async () => {
    const b = harness();
    const [mine, other] = [await b.forms.create({ name: "A" }), await b.forms.create({ name: "B" })];
    const key = await b.keyWith("all", { form_ids: [mine.id] });
    const line = [403, "permission_error", "form_access_restricted", undefined];
    expect((await b.call("GET", `/v1/forms/${mine.id}`, { key })).status).toBe(200);
    expect(fault(await b.call("GET", `/v1/forms/${other.id}`, { key }))).toEqual(line);
    expect(fault(await b.call("POST", "/v1/forms", { key, body: { name: "C" } }))).toEqual(line);
  });

  it("403 | permission_error | team_inactive | Owning team not active", async () => {
    const b = harness();
    await b.ready();
    await b.teams.update("default", { active: false });
    expect(fault(await b.call("GET", "/v1/forms"))).toEqual([403, "permission_error", "team_inactive", undefined]);
  });

  it("403 | permission_error | owner_unverified | Team owner has not verified their email", async () => {
    const b = harness();
    const team = await b.teams.create({ name: "T", owner: { email: "owner@example.com", email_verified: false } });
    const key = await b.keyWith("all", { team_id: team.id });
    expect(fault(await b.call("GET", "/v1/forms", { key }))).toEqual([
      403,
      "permission_error",
      "owner_unverified",
      undefined,
    ]);
  });

  it("403 | permission_error | plan_restricted | Plan does not include the feature or form count", async () => {
    const b = harness();
    const team = await b.teams.create({
      name: "T",
      plan: "free",
      owner: { email: "owner@example.com", email_verified: true },
    });
    const key = await b.keyWith("all", { team_id: team.id });
    const create = (more: object = {}) => b.call("POST", "/v1/forms", { key, body: { name: "A", ...more } });
    const feature = await create({ self_email_notification: { template: { html: "<b>hi</b>" } } });
    expect(fault(feature)).toEqual([
      403,
      "permission_error",
      "plan_restricted",
      "self_email_notification.template.html",
    ]);
    expect((await b.call("GET", "/v1/forms", { key })).json.data).toEqual([]);
    for (let i = 0; i < 3; i++) expect((await create()).status).toBe(201);
    expect(fault(await create())).toEqual([403, "permission_error", "plan_restricted", undefined]);
  });

  it("404 | invalid_request_error | form_not_found | No form with that id accessible with the key", async () => {
    const b = harness();
    const team = await b.teams.create({ name: "T", owner: { email: "owner@example.com", email_verified: true } });
    const foreign = await b.forms.create({ name: "A" }, { team_id: team.id });
    for (const id of ["nope", foreign.id])
      expect(fault(await b.call("GET", `/v1/forms/${id}`))).toEqual([
        404,
        "invalid_request_error",
        "form_not_found",
        undefined,
      ]);
  });

  it("404 | invalid_request_error | recipient_not_found | Address not on the recipient list", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const answer = await b.call(
      "DELETE",
      `/v1/forms/${form.id}/self-email-notification/recipients/a%2Bb%40example.com`,
    );
    expect(fault(answer)).toEqual([404, "invalid_request_error", "recipient_not_found", undefined]);
  });

  it("413 | invalid_request_error | payload_too_large | JSON body over 1 MB or image over 5 MB", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const line = [413, "invalid_request_error", "payload_too_large", undefined];
    expect(fault(await b.call("PATCH", `/v1/forms/${form.id}`, { body: { name: "x".repeat(MB) } }))).toEqual(line);
    expect(fault(await upload(b, form.id, "after_submit_logo", png(1, 1, 6 * MB)))).toEqual(line);
  });

  it("429 | rate_limit_error | rate_limited | Too many requests", async () => {
    const b = harness({ rateLimit: { management: { points: 2, seconds: 10 } } });
    for (let i = 0; i < 2; i++) expect((await b.call("GET", "/v1/me")).status).toBe(200);
    const answer = await b.call("GET", "/v1/me");
    expect(fault(answer)).toEqual([429, "rate_limit_error", "rate_limited", undefined]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    expect([answer.headers.has("ratelimit"), answer.headers.has("ratelimit-policy")]).toEqual([true, true]);
  });

  it("429 | rate_limit_error | scan_concurrency | More than 2 filtered submission requests running at once per key", async () => {
    const { b, path, open, running } = await busy();
    const answer = await b.call("GET", path);
    expect(fault(answer)).toEqual([429, "rate_limit_error", "scan_concurrency", undefined]);
    expect(answer.headers.get("retry-after")).toBe("1");
    open();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each([
    ["not_found", "GET", "/v1/nope"],
    ["webhook_not_found", "GET", "/v1/forms/FORM/webhooks/whk_nope"],
    ["delivery_not_found", "GET", "/v1/forms/FORM/webhooks/HOOK/deliveries/nope"],
    ["submission_not_found", "GET", "/v1/forms/FORM/submissions/nope"],
  ])("404 | %s", async (code, method, path) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
    const answer = await b.call(method, path.replace("FORM", form.id).replace("HOOK", webhook.id));
    expect(fault(answer)).toEqual([404, "invalid_request_error", code, undefined]);
  });

  it("405 | method_not_allowed, with `Allow`", async () => {
    const answer = await harness().call("PUT", "/v1/forms");
    expect([...fault(answer), answer.headers.get("allow")]).toEqual([
      405,
      "invalid_request_error",
      "method_not_allowed",
      undefined,
      "GET, POST, HEAD",
    ]);
  });

  it("409 | submission_not_stored", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    await b.tick();
    await b.submissions.delete(form.id, id);
    const answer = await b.call("POST", `/v1/forms/${form.id}/webhooks/${webhook.id}/deliveries/${id}/redeliver`);
    expect(fault(answer)).toEqual([409, "invalid_request_error", "submission_not_stored", undefined]);
  });

  it("409 | webhook_url_taken", async () => {
    const b = harness({ plans: { unlimited: { webhooks_per_form: 2 } } });
    const form = await b.forms.create({ name: "A" });
    const create = () => b.call("POST", `/v1/forms/${form.id}/webhooks`, { body: { url: "https://example.com/" } });
    expect((await create()).status).toBe(201);
    expect(fault(await create())).toEqual([409, "invalid_request_error", "webhook_url_taken", "url"]);
  });

  it("415 | unsupported_media_type", async () => {
    const answer = await harness().call("POST", "/v1/forms", {
      body: "name=A",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect(fault(answer)).toEqual([415, "invalid_request_error", "unsupported_media_type", undefined]);
  });

  it("500 | api_error | internal_error, whose message says nothing of the cause; 503 | api_error | unavailable, with Retry-After", async () => {
    const memory = memoryStorage();
    let failing = (): never => {
      throw new TypeError("secret detail");
    };
    const storage: StorageDriver = { ...memory, page: async () => failing() };
    const b = harness({ storage, logger: { debug() {}, info() {}, warn() {}, error() {} } });
    const internal = await b.call("GET", "/v1/forms");
    expect(fault(internal)).toEqual([500, "api_error", "internal_error", undefined]);
    expect(internal.text).not.toContain("secret");
    const down = createFormBackend({
      baseUrl: b.baseUrl,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      storage: { ...memory, open: () => Promise.reject(new Error("down")) },
    });
    failing = () => {
      throw new Error();
    };
    const response = await down.fetch(
      new Request(`${b.baseUrl}/v1/forms`, { headers: { authorization: `Bearer ${b.key}` } }),
    );
    const { error } = (await response.json()) as { error: { type: string; code: string } };
    expect([response.status, error.type, error.code, response.headers.get("retry-after")]).toEqual([
      503,
      "api_error",
      "unavailable",
      "5",
    ]);
    await down.close();
  });
});

/** Two filtered requests that run until `open()`. */
async function busy() {
  const memory = memoryStorage();
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => (open = resolve));
  let entered = 0;
  let closed = false;
  const storage: StorageDriver = {
    ...memory,
    page: async (collection, query) => {
      if (closed && collection === "submissions") {
        entered++;
        await gate;
      }
      return memory.page(collection, query);
    },
  };
  const b = harness({ storage });
  const form = await b.forms.create({ name: "A" });
  const path = `/v1/forms/${form.id}/submissions?q=x`;
  closed = true;
  const running = [b.call("GET", path), b.call("GET", path)];
  while (entered < 2) await new Promise((resolve) => setImmediate(resolve));
  return { b, path, open, running };
}

describe("Limits", () => {
  it("JSON request body | 1 MB", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const body = (bytes: number) => `{"name":"B"}`.padEnd(bytes);
    const patch = (bytes: number) =>
      b.call("PATCH", `/v1/forms/${form.id}`, { body: body(bytes), headers: { "content-type": "application/json" } });
    expect([(await patch(MB)).status, (await patch(MB + 1)).status]).toEqual([200, 413]);
  });

  it("Image upload | 5 MB; paid plan only", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const header = png(3, 2).length;
    expect((await upload(b, form.id, "after_submit_logo", png(3, 2, 5 * MB - header))).status).toBe(201);
    expect((await upload(b, form.id, "after_submit_logo", png(3, 2, 5 * MB - header + 1))).status).toBe(413);
    await b.teams.update("default", { plan: "free" });
    expect(fault(await upload(b, form.id, "after_submit_logo", pixelPng)).slice(0, 3)).toEqual([
      403,
      "permission_error",
      "plan_restricted",
    ]);
  });

  it.each([
    ["self_email_notification_logo", [201, 400, 400]],
    ["auto_response_logo", [201, 400, 400]],
    ["after_submit_logo", [201, 201, 201]],
    ["after_submit_logo_dark", [201, 201, 201]],
  ])("use | %s: PNG, WebP, SVG answer %j", async (use, statuses) => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const answers = [];
    for (const file of [pixelPng, webpLossy(4, 4), svg()]) answers.push(await upload(b, form.id, use, file));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    for (const answer of answers) if (answer.status === 400) expect(fault(answer)[3]).toBe("file");
  });

  it("Image `name` | 64 characters, letters digits dash underscore", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const named = async (name: string) => (await upload(b, form.id, "after_submit_logo", pixelPng, name)).json;
    expect((await named("aZ0-_".padEnd(64, "x"))).name).toHaveLength(64);
    for (const name of ["x".repeat(65), "", "a b", "a.b", "é"])
      expect((await named(name)).error.param, name).toBe("name");
  });

  it("Form `name` | 128 characters", async () => {
    const b = harness();
    const create = (length: number) => b.call("POST", "/v1/forms", { body: { name: "x".repeat(length) } });
    expect((await create(128)).status).toBe(201);
    expect(fault(await create(129))).toEqual([400, "invalid_request_error", "invalid_parameter", "name"]);
  });

  it("List forms `limit` | 1 to 100, default 25", async () => {
    const b = harness();
    for (let i = 0; i < 101; i++) await b.forms.create({ name: `F${i}` });
    const list = (query: string) => b.call("GET", `/v1/forms${query}`);
    const lengths = [];
    for (const query of ["", "?limit=1", "?limit=100"]) lengths.push((await list(query)).json.data.length);
    expect(lengths).toEqual([25, 1, 100]);
    for (const limit of [0, 101])
      expect(fault(await list(`?limit=${limit}`))).toEqual([
        400,
        "invalid_request_error",
        "invalid_parameter",
        "limit",
      ]);
  });

  it("List deliveries `limit` | 1 to 100, default 25; List submissions `limit` | the same", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
    for (let i = 0; i < 101; i++) await b.submit(form.id, { fields: { i: String(i) } });
    await b.tick();
    for (const path of [
      `/v1/forms/${form.id}/webhooks/${webhook.id}/deliveries`,
      `/v1/forms/${form.id}/submissions`,
      "/v1/submissions",
    ]) {
      const list = (query: string) => b.call("GET", `${path}${query}`);
      const lengths = [];
      for (const query of ["", "?limit=1", "?limit=100"]) lengths.push((await list(query)).json.data.length);
      expect(lengths, path).toEqual([25, 1, 100]);
      for (const limit of [0, 101]) expect(fault(await list(`?limit=${limit}`))[3], path).toBe("limit");
    }
  });

  it("Field name list | newest 2,000 submissions read, first 200 names returned", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    await b.submit(form.id, { fields: { oldest: "x" } });
    const names = Object.fromEntries(Array.from({ length: 201 }, (_, i) => [`n${i}`, "x"]));
    await Promise.all(
      Array.from({ length: 2_000 }, (_, i) => b.submit(form.id, { fields: i === 0 ? names : { often: "x" } })),
    );
    const { json } = await b.call("GET", `/v1/forms/${form.id}/fields`);
    expect([json.submissions_read, json.data.length, json.data[0].name, json.data[0].count]).toEqual([
      2_000,
      200,
      "often",
      1_999,
    ]);
    expect(json.data.map(({ name }: { name: string }) => name)).not.toContain("oldest");
  });

  it("Filtered submission requests | 2 at once per key", async () => {
    const { b, path, open, running } = await busy();
    // Another key has two of its own, and what is not filtered is not counted.
    const other = b.call("GET", path, { key: await b.keyWith("all") });
    const plain = b.call("GET", path.replace("?q=x", ""));
    expect((await b.call("GET", path)).status).toBe(429);
    open();
    expect((await Promise.all([...running, other, plain])).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("Delivery message | 1024 characters", async () => {
    const receiver = await httpReceiver((_, response) => void response.writeHead(500).end("é".repeat(5_000)));
    const b = harness({ webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] } });
    const form = await b.forms.create({ name: "A" });
    const webhook = await b.webhooks.create(form.id, { url: `http://127.0.0.1:${receiver.port}/` });
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    await b.tick();
    const { json } = await b.call("GET", `/v1/forms/${form.id}/webhooks/${webhook.id}/deliveries/${id}`);
    expect(json.message).toHaveLength(1_024);
    await b.close();
    await receiver.close();
  });

  it("Delivery retries | up to 3 days", async () => {
    const b = harness();
    b.answerWebhooks(500);
    const form = await b.forms.create({ name: "A" });
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
    const { id } = await b.submit(form.id, { fields: { a: "1" } });
    const status = async () =>
      (await b.call("GET", `/v1/forms/${form.id}/webhooks/${webhook.id}/deliveries/${id}`)).json.status;
    await b.clock.advance(3 * DAY - 60_000);
    expect(await status()).toBe("retrying");
    await b.clock.advance(60_000);
    expect(await status()).toBe("failed");
    const attempts = b.webhookCalls.length;
    await b.clock.advance(10 * DAY);
    expect(b.webhookCalls).toHaveLength(attempts);
  });

  it("Delivery log retention | 18 months", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const webhook = await b.webhooks.create(form.id, { url: "https://example.com/" });
    await b.submit(form.id, { fields: { a: "1" } });
    await b.tick();
    const log = async () =>
      (await b.call("GET", `/v1/forms/${form.id}/webhooks/${webhook.id}/deliveries`)).json.data.length;
    await b.clock.advance(17 * 30 * DAY);
    await b.sweep();
    expect(await log()).toBe(1);
    await b.clock.advance(2 * 31 * DAY);
    await b.sweep();
    expect(await log()).toBe(0);
  });

  it("Webhooks per form | one for now", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const create = (n: number) =>
      b.call("POST", `/v1/forms/${form.id}/webhooks`, { body: { url: `https://example.com/${n}` } });
    expect((await create(1)).status).toBe(201);
    expect(fault(await create(2))).toEqual([403, "permission_error", "plan_restricted", "webhooks"]);
  });

  it("Recipients on the free plan | one address", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    await b.teams.update("default", { plan: "free" });
    const add = (email: string) =>
      b.call("POST", `/v1/forms/${form.id}/self-email-notification/recipients`, { body: { email } });
    expect((await add("one@example.com")).json).toEqual({ data: ["one@example.com"] });
    expect(fault(await add("two@example.com"))).toEqual([
      403,
      "permission_error",
      "plan_restricted",
      "self_email_notification.recipients",
    ]);
    expect((await add("one@example.com")).json).toEqual({ data: ["one@example.com"] });
  });

  it("Legacy submissions `limit` | default 25, maximum 50", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    for (let i = 0; i < 51; i++) await b.submit(form.id, { fields: { i: String(i) } });
    const list = (query: string) =>
      b.call("GET", `/api/form/${form.id}/submissions${query}`, { key: null, headers: { api_key: b.key } });
    expect((await list("")).json.results).toBe(25);
    expect((await list("?limit=50")).json.results).toBe(50);
    expect((await list("?limit=51")).status).toBe(400);
  });

  it("management rate | 100 requests per 10 s per credential", async () => {
    const b = harness();
    const statuses = [];
    for (let i = 0; i < 101; i++) statuses.push((await b.call("GET", "/v1/me")).status);
    expect([statuses.filter((status) => status === 200).length, statuses.at(-1)]).toEqual([100, 429]);
    await b.clock.advance(10_000);
    expect((await b.call("GET", "/v1/me")).status).toBe(200);
  });

  it("failed credentials | 20 per 10 s per address", async () => {
    const b = harness();
    const statuses = [];
    for (let i = 0; i < 21; i++) statuses.push((await b.call("GET", "/v1/me", { key: "fb_live_wrong" })).status);
    expect([statuses.filter((status) => status === 401).length, statuses.at(-1)]).toEqual([20, 429]);
  });
});
