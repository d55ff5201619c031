import { describe, expect, it, vi } from "vitest";
import type { Caller } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

const host: Caller = { auth: "host", id: "ann", team_ids: ["default"], scopes: ["forms:read"], form_ids: null };

describe("the header Authorization", () => {
  it.each([
    [undefined, "missing_bearer"],
    ["", "missing_bearer"],
    ["Bearer", "missing_bearer"],
    ["Bearer ", "missing_bearer"],
    ["Basic YTpi", "missing_bearer"],
    ["Token abc", "missing_bearer"],
    ["Bearer a b", "missing_bearer"],
    ["Bearer nonsense", "invalid_key"],
    ["Bearer fb_live_short", "invalid_key"],
  ])("%j is %s", async (authorization, code) => {
    const { status, json } = await harness().call("GET", "/v1/me", {
      key: null,
      headers: authorization === undefined ? {} : { authorization },
    });
    expect([status, json.error.type, json.error.code]).toEqual([401, "authentication_error", code]);
  });

  it("takes the scheme in any case", async () => {
    const b = harness();
    for (const scheme of ["bearer", "BEARER", "Bearer  "]) {
      const headers = { authorization: `${scheme} ${b.key}` };
      expect((await b.call("GET", "/v1/me", { key: null, headers })).status).toBe(200);
    }
  });

  it("can't be replaced by the header or parameter of the legacy API", async () => {
    const b = harness();
    const { json } = await b.call("GET", `/v1/me?apiKey=${b.key}`, { key: null, headers: { api_key: b.key } });
    expect(json.error.code).toBe("missing_bearer");
  });
});

describe("GET /v1/me", () => {
  it("describes an API key", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme", plan: "free" });
    const { key, id } = await b.keys.create({
      name: "ci",
      scopes: ["submissions:read"],
      team_id: "acme",
      form_ids: ["f1"],
      expires_at: "2027-01-01T00:00:00+01:00",
    });
    const { status, json } = await b.call("GET", "/v1/me", { key });
    expect(status).toBe(200);
    expect(json).toEqual({
      auth: "api_key",
      key_id: id,
      workspace: { id: "acme", name: "Acme" },
      teams: [{ id: "acme", name: "Acme", plan: "free" }],
      scopes: ["submissions:read"],
      form_ids: ["f1"],
      expires_at: "2026-12-31T23:00:00.000Z",
    });
  });

  it("describes the host's own caller", async () => {
    const b = harness({ authenticate: () => ({ ...host, scopes: "all" }) });
    expect((await b.call("GET", "/v1/me", { key: null })).json).toEqual({
      auth: "host",
      key_id: "ann",
      workspace: { id: "default", name: "Default" },
      teams: [{ id: "default", name: "Default", plan: "unlimited" }],
      scopes: ["forms:read", "forms:write", "submissions:read", "submissions:write"],
      form_ids: null,
      expires_at: null,
    });
  });
});

describe("the option `authenticate`", () => {
  it("is asked only when no Authorization header is sent", async () => {
    const authenticate = vi.fn(() => host);
    const b = harness({ authenticate });
    expect((await b.call("GET", "/v1/me")).json.auth).toBe("api_key");
    expect((await b.call("GET", "/v1/me", { key: "wrong" })).json.error.code).toBe("invalid_key");
    expect(authenticate).not.toHaveBeenCalled();
    expect((await b.call("GET", "/v1/me", { key: null })).json.auth).toBe("host");
    expect(authenticate).toHaveBeenCalledTimes(1);
  });

  it("sees the request, may be asynchronous, and answers null for nobody", async () => {
    const b = harness({ authenticate: async ({ headers }) => (headers.get("cookie") === "session=1" ? host : null) });
    expect((await b.call("GET", "/v1/forms", { key: null, headers: { cookie: "session=1" } })).status).toBe(200);
    expect((await b.call("GET", "/v1/forms", { key: null })).json.error.code).toBe("missing_bearer");
  });

  it("gives a caller who is held to scopes, teams and forms like any other", async () => {
    let caller = host;
    const b = harness({ authenticate: () => caller });
    const form = await b.forms.create({ name: "A" });
    const call = async (method: string, path: string) => {
      const headers = { origin: "http://localhost:3000" };
      const { status, json } = await b.call(method, path, {
        key: null,
        headers,
        ...(method !== "GET" && { body: {} }),
      });
      return status < 300 ? status : json.error.code;
    };
    expect(await call("GET", `/v1/forms/${form.id}`)).toBe(200);
    expect(await call("PATCH", `/v1/forms/${form.id}`)).toBe("insufficient_scope");
    caller = { ...host, form_ids: ["other"] };
    expect(await call("GET", `/v1/forms/${form.id}`)).toBe("form_access_restricted");
    await b.teams.create({ id: "acme", name: "Acme" });
    caller = { ...host, team_ids: ["acme"] };
    expect(await call("GET", `/v1/forms/${form.id}`)).toBe("form_not_found");
    await b.teams.update("acme", { active: false });
    expect(await call("GET", "/v1/forms")).toBe("team_inactive");
    caller = { ...host, team_ids: [] };
    expect(await call("GET", `/v1/forms/${form.id}`)).toBe("form_not_found");
  });

  const own = "http://localhost:3000";
  const listed = "https://admin.example.com";
  it.each([
    [{ "sec-fetch-site": "same-origin", origin: own }, 201],
    [{ "sec-fetch-site": "same-origin" }, 201],
    [{ origin: own }, 201],
    [{ "sec-fetch-site": "cross-site", origin: listed }, 201],
    [{ origin: listed }, 201],
    [{}, 403],
    [{ "sec-fetch-site": "same-origin", origin: "https://evil.example" }, 403],
    [{ "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
    [{ "sec-fetch-site": "cross-site", origin: own }, 403],
    [{ "sec-fetch-site": "same-site", origin: "http://localhost:4000" }, 403],
    [{ "sec-fetch-site": "none" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ origin: "null" }, 403],
    [{ origin: "http://localhost:3000.evil.example" }, 403],
    [{ origin: "https://localhost:3000" }, 403],
  ])(
    "lets a session change something only where a page of the host's own sent the request: %j is %i",
    async (headers, status) => {
      const b = harness({ authenticate: () => ({ ...host, scopes: "all" }), cors: { management: [listed] } });
      const answer = await b.call("POST", "/v1/forms", { key: null, body: { name: "A" }, headers });
      expect([answer.status, answer.json.error?.code]).toEqual([
        status,
        status === 403 ? "cross_site_request" : undefined,
      ]);
      expect((await b.forms.list({})).data).toHaveLength(status === 403 ? 0 : 1);
      expect((await b.call("GET", "/v1/forms", { key: null, headers })).status, "reading").toBe(200);
      expect((await b.call("POST", "/v1/forms", { body: { name: "A" }, headers })).status, "with a key").toBe(201);
    },
  );

  it("is held by the rate of refused credentials when it knows nobody", async () => {
    const authenticate = vi.fn(({ headers }: Request) => (headers.get("cookie") === "session=1" ? host : null));
    const b = harness({ authenticate, rateLimit: { failedAuth: { points: 3, seconds: 10 } } });
    const guess = (cookie: string) => b.call("GET", "/v1/forms", { key: null, headers: { cookie } });
    const statuses: number[] = [];
    for (const cookie of ["session=1", "session=2", "session=3", "session=4", "session=5", "session=1"])
      statuses.push((await guess(cookie)).status);
    expect(statuses).toEqual([200, 401, 401, 401, 429, 429]);
    expect(authenticate).toHaveBeenCalledTimes(4);
  });

  it.each([
    [{ ...host, auth: "api_key" }, "auth"],
    [{ ...host, team_ids: null }, "team_ids"],
    [{ ...host, scopes: ["everything"] }, "scopes"],
    [{ ...host, form_ids: undefined }, "form_ids"],
    [true, ""],
  ])("that answers %j is a 500 whose log names the fault", async (answer, fault) => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const b = harness({ authenticate: () => answer as never, logger });
    const { status, json } = await b.call("GET", "/v1/me", { key: null });
    expect([status, json.error.code]).toEqual([500, "internal_error"]);
    expect(logger.error.mock.calls.join()).toContain(
      `option \`authenticate\` returned a caller whose \`${fault}\` is wrong`,
    );
  });
});
