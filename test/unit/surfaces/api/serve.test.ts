import { describe, expect, it } from "vitest";
import { createFormBackend } from "../../../../src/index.ts";
import { routes } from "../../../../src/surfaces/api/table.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { harness } from "../../../_support/backend.ts";

describe("every answer", () => {
  it("carries a request id, which an error body repeats", async () => {
    const { headers, json } = await harness().call("GET", "/v1/nope");
    expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{24}$/);
    expect(json.error.request_id).toBe(headers.get("x-request-id"));
  });

  it("ignores a caller's request id unless told to trust it, and then only a sane one", async () => {
    const given = { headers: { "x-request-id": "mine-1" } };
    expect((await harness().call("GET", "/v1/forms", given)).headers.get("x-request-id")).not.toBe("mine-1");
    const trusting = harness({ trustRequestId: true });
    expect((await trusting.call("GET", "/v1/forms", given)).headers.get("x-request-id")).toBe("mine-1");
    const odd = await trusting.call("GET", "/v1/forms", { headers: { "x-request-id": "a b".repeat(90) } });
    expect(odd.headers.get("x-request-id")).toMatch(/^req_/);
  });

  it("is not cached and not sniffed", async () => {
    const { headers } = await harness().call("GET", "/v1/forms");
    expect([headers.get("cache-control"), headers.get("x-content-type-options"), headers.get("content-type")]).toEqual([
      "no-store",
      "nosniff",
      "application/json; charset=utf-8",
    ]);
  });
});

describe("addresses", () => {
  it("HEAD answers as GET without a body", async () => {
    const b = harness();
    const [get, head] = [await b.call("GET", "/v1/forms"), await b.call("HEAD", "/v1/forms")];
    expect([head.status, head.text, head.headers.get("content-type")]).toEqual([
      get.status,
      "",
      get.headers.get("content-type"),
    ]);
  });

  it.each([
    ["GET", "/v1/nope", 404, "not_found", null],
    ["GET", "/", 404, "not_found", null],
    ["GET", "/v1/forms/%ZZ", 404, "form_not_found", null],
    ["GET", "/v1/forms//x", 404, "not_found", null],
    ["PUT", "/v1/forms", 405, "method_not_allowed", "GET, POST, HEAD"],
    ["POST", "/v1/forms/x", 405, "method_not_allowed", "GET, PATCH, DELETE, HEAD"],
    ["OPTIONS", "/v1/forms", 405, "method_not_allowed", "GET, POST, HEAD"],
  ])("%s %s is %i %s in the envelope", async (method, path, status, code, allow) => {
    const answer = await harness().call(method, path);
    expect([answer.status, answer.json.error.code, answer.headers.get("allow")]).toEqual([status, code, allow]);
  });

  it("are found with the mount prefix and without it, as hosts that strip it send them", async () => {
    const b = harness();
    const headers = { authorization: `Bearer ${b.key}` };
    for (const url of ["http://h/forms/v1/forms", "http://h/v1/forms", "http://h/forms/v1/forms/"]) {
      expect((await b.fetch(new Request(url, { headers }))).status).toBe(200);
    }
  });

  it.each(["limit=0", "limit=101", "limit=ten", "limit=1.5", "limit=-1", "limit=", "limit=1&limit=2", "colour=red"])(
    "?%s is refused by name",
    async (query) => {
      const { status, json } = await harness().call("GET", `/v1/forms?${query}`);
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", query.split("=")[0]]);
    },
  );

  it("refuse a parameter that they do not know, each of them, and before anything is done", async () => {
    const b = harness();
    const form = await b.forms.create({ name: "A" });
    const hex = "0".repeat(24);
    const names: Record<string, string> = {
      form_id: form.id,
      webhook_id: `whk_${hex}`,
      submission_id: hex,
      image_id: `img_${hex}`,
      email_id: hex,
      note_id: `act_${hex}`,
      reply_id: `rpl_${hex}`,
      email: "ann@example.com",
      domain: "example.com",
    };
    const needed: Record<string, string> = { "/v1/tls-allowed": "domain=localhost&" };
    // These two are asked by monitors and caches, which add parameters of their own.
    const lenient = ["/v1/health", "/v1/openapi.json"];
    for (const row of Object.values(routes).filter(({ path }) => !lenient.includes(path))) {
      const path = row.path.replace(/:(\w+)/g, (_, name) => names[name] ?? expect.fail(`no value for ${name}`));
      const { status, json } = await b.call(row.method, `${path}?${needed[row.path] ?? ""}colour=red`);
      expect([row.path, status, json.error.code, json.error.param]).toEqual([
        row.path,
        400,
        "invalid_parameter",
        "colour",
      ]);
    }
    expect((await b.forms.list()).data).toEqual([form]);
  });
});

describe("trouble of our own", () => {
  const silent = { debug() {}, info() {}, warn() {} };

  it("is logged in full and answered with 500 that says nothing of the cause", async () => {
    const errors: string[] = [];
    const b = harness({
      logger: { ...silent, error: (message) => errors.push(message) },
      authenticate: () => ({ auth: "host" }) as never,
    });
    const { status, json, text } = await b.call("GET", "/v1/forms", { key: null });
    expect([status, json.error.code, json.error.type]).toEqual([500, "internal_error", "api_error"]);
    expect(text).not.toContain("authenticate");
    expect(errors.join()).toContain("option `authenticate` returned a caller whose `id` is wrong");
  });

  it("is logged where a body was read before us, for visitors can do nothing about it", async () => {
    const errors: string[] = [];
    const b = harness({ logger: { ...silent, error: (message) => errors.push(message) } });
    const form = await b.forms.create({ name: "A" });
    const request = new Request(form.endpoint, { method: "POST", body: new URLSearchParams({ a: "1" }) });
    await request.text();
    const { status, headers } = await b.fetch(request);
    expect(status).toBe(500);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatch(`${headers.get("x-request-id")}: The request's body was read before`);
  });

  it("a store that does not open is 503 until it does, without a restart", async () => {
    const { memoryStorage } = await import("../../../../src/index.ts");
    const storage = memoryStorage();
    let up = false;
    const backend = createBackend({
      baseUrl: "http://localhost/forms",
      secret: "x".repeat(32),
      logger: { ...silent, error() {} },
      storage: { ...storage, open: () => (up ? storage.open() : Promise.reject(new Error("no database"))) },
    });
    const ask = () =>
      backend.fetch(
        new Request("http://localhost/forms/f/x", { method: "POST", body: new URLSearchParams({ a: "1" }) }),
      );
    const down = await ask();
    expect([down.status, down.headers.get("retry-after")]).toEqual([503, "5"]);
    up = true;
    expect((await ask()).status).toBe(404);
    await backend.close();
  });

  it("a store that goes down is 503 on the management API too, says nothing of the cause, and recovers", async () => {
    const { memoryStorage } = await import("../../../../src/index.ts");
    const storage = memoryStorage();
    let down = false;
    const errors: string[] = [];
    const b = harness({
      logger: { ...silent, error: (message) => errors.push(message) },
      storage: {
        ...storage,
        page: (...args) => (down ? Promise.reject(new Error("cable cut")) : storage.page(...args)),
      },
    });
    expect((await b.call("GET", "/v1/forms")).status).toBe(200);
    down = true;
    const { status, json, text, headers } = await b.call("GET", "/v1/forms");
    expect([status, json.error.code, headers.get("retry-after")]).toEqual([503, "unavailable", "5"]);
    expect(text).not.toContain("cable");
    expect(errors.join()).toContain("storage memory: Error");
    await expect(b.forms.list({})).rejects.toMatchObject({ code: "unavailable", status: 503 });
    down = false;
    expect((await b.call("GET", "/v1/forms")).status).toBe(200);
  });

  it("a host's caller reaches what it covers", async () => {
    const backend = createFormBackend({
      baseUrl: "http://localhost/forms",
      authenticate: (request) =>
        request.headers.get("cookie") === "session=1"
          ? { auth: "host", id: "user-1", team_ids: ["default"], scopes: ["forms:read"], form_ids: null }
          : null,
    });
    const ask = (headers: Record<string, string>, method = "GET") =>
      backend.fetch(new Request("http://localhost/forms/v1/forms", { method, headers }));
    expect((await ask({ cookie: "session=1" })).status).toBe(200);
    expect((await ask({ cookie: "session=1" }, "POST")).status).toBe(403);
    expect((await ask({})).status).toBe(401);
    await backend.close();
  });
});
