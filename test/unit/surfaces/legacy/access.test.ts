import { describe, expect, it } from "vitest";
import type { Scope } from "../../../../src/index.ts";
import { type LegacyHarness, legacyHarness } from "./_legacy.ts";

/** The four calls, on a form that exists. */
const calls = (id: string): [method: string, path: string, body?: object][] => [
  ["GET", "/api/auth"],
  ["PUT", "/api/form", { name: "B" }],
  ["GET", `/api/form/${id}/submissions`],
  ["DELETE", `/api/form/${id}`],
];

/** The statuses that a key gets for the four calls, each on a form of its own. */
async function statuses(b: LegacyHarness, key: string | null, headers: Record<string, string> = {}): Promise<number[]> {
  const found = [];
  for (const i of calls("").keys()) {
    const { id } = await b.forms.create({ name: "A" });
    const [method, path, body] = calls(id)[i] as [string, string, object?];
    const { status, json } = await b.legacy(method, path, { key, headers, ...(body && { body }) });
    if (status !== 200)
      expect(json).toEqual({ code: status, title: expect.any(String), message: expect.any(String), type: "error" });
    found.push(status);
  }
  return found;
}

const harness = (): LegacyHarness => legacyHarness({ rateLimit: false });

describe("the credential of the legacy API", () => {
  it("is the header api_key", async () => {
    const b = harness();
    expect(await statuses(b, b.key)).toEqual([200, 200, 200, 200]);
    const { json } = await b.legacy("GET", "/api/auth");
    expect(json).toEqual({ status: "success", message: expect.any(String) });
  });

  it("is refused when it is missing, empty, wrong, mistyped, revoked or expired", async () => {
    const b = harness();
    const revoked = await b.keys.create({ name: "r", scopes: "all" });
    await b.keys.revoke(revoked.id);
    const expired = await b.keyWith("all", { expires_at: new Date(b.clock.now() + 1000).toISOString() });
    await b.clock.advance(1000);
    for (const key of [null, "", "wrong", `${b.key}x`, b.key.slice(0, -1), revoked.key, expired]) {
      expect([key, await statuses(b, key)]).toEqual([key, [401, 401, 401, 401]]);
    }
    expect((await b.legacy("GET", "/api/auth", { key: null })).json).toEqual({
      code: 401,
      title: "Not authenticated",
      message: "Send your API key in the header `api_key`.",
      type: "error",
    });
  });

  it("is judged before the form, the path's id and the input", async () => {
    const b = harness();
    for (const [method, path] of [
      ["PUT", "/api/form"],
      ["DELETE", "/api/form/nobody"],
      ["GET", "/api/form/nobody/submissions?limit=x"],
    ] as const) {
      const { status } = await b.legacy(method, path, { key: null, ...(method === "PUT" && { body: "{" }) });
      expect(status).toBe(401);
    }
    const reader = await b.keyWith(["forms:read"]);
    expect((await b.legacy("PUT", "/api/form", { key: reader, body: {} })).status).toBe(403);
    expect((await b.legacy("GET", "/api/form/nobody/submissions?limit=x")).status).toBe(404);
  });

  it("is never Authorization, and api_key opens nothing on v1", async () => {
    const b = harness();
    expect(await statuses(b, null, { authorization: `Bearer ${b.key}` })).toEqual([401, 401, 401, 401]);
    for (const path of ["/v1/forms", "/v1/me", `/v1/forms?apiKey=${b.key}`]) {
      const { status, json } = await b.call("GET", path, { key: null, headers: { api_key: b.key } });
      expect([path, status, json.error.code]).toEqual([path, 401, "missing_bearer"]);
    }
  });

  it("may be ?apiKey= on delete alone", async () => {
    const b = harness();
    const { id } = await b.forms.create({ name: "A" });
    for (const [method, path, body] of calls(id)) {
      const { status } = await b.legacy(method, `${path}?apiKey=${b.key}`, { key: null, ...(body && { body }) });
      expect([method, path, status]).toEqual([method, path, method === "DELETE" ? 200 : 401]);
    }
    const { id: other } = await b.forms.create({ name: "A" });
    expect((await b.legacy("DELETE", `/api/form/${other}?apiKey=${b.key}`, { key: "wrong" })).status).toBe(401);
    expect((await b.legacy("DELETE", `/api/form/${other}?apiKey=wrong`, { key: null })).status).toBe(401);
    const reader = await b.keyWith(["forms:read"]);
    expect((await b.legacy("DELETE", `/api/form/${other}?apiKey=${reader}`, { key: null })).status).toBe(403);
  });

  it("needs the scope of the operation", async () => {
    const b = harness();
    const table: [Scope[], number[]][] = [
      [["forms:read"], [200, 403, 403, 403]],
      [["forms:write"], [200, 200, 403, 200]],
      [["submissions:read"], [200, 403, 200, 403]],
      [["submissions:write"], [200, 403, 403, 403]],
    ];
    for (const [scopes, expected] of table)
      expect([scopes, await statuses(b, await b.keyWith(scopes))]).toEqual([scopes, expected]);
  });

  it("is held to its forms", async () => {
    const b = harness();
    const mine = await b.forms.create({ name: "Mine" });
    const other = await b.forms.create({ name: "Other" });
    const key = await b.keyWith("all", { form_ids: [mine.id] });
    const status = async (method: string, path: string, body?: object) =>
      (await b.legacy(method, path, { key, ...(body && { body }) })).status;
    expect(await status("PUT", "/api/form", { name: "B" })).toBe(403);
    // A key that may not create learns nothing of its input.
    expect(await status("PUT", "/api/form", {})).toBe(403);
    expect(await status("GET", `/api/form/${other.id}/submissions`)).toBe(403);
    expect(await status("DELETE", `/api/form/${other.id}`)).toBe(403);
    expect(await status("GET", `/api/form/${mine.id}/submissions`)).toBe(200);
    expect(await status("DELETE", `/api/form/${mine.id}`)).toBe(200);
    expect((await b.forms.list({})).data.map(({ id }) => id)).toEqual([other.id]);
  });

  it("reaches no form of another team, and none while its own is suspended", async () => {
    const b = harness();
    const team = await b.teams.create({ name: "Other", id: "other" });
    const key = await b.keyWith("all", { team_id: team.id });
    expect(await statuses(b, key)).toEqual([200, 200, 404, 404]);
    const [made] = (await b.forms.list({ team_id: "other" })).data;
    expect(made?.name).toBe("B");
    await b.teams.update("other", { active: false });
    expect(await statuses(b, key)).toEqual([403, 403, 403, 403]);
  });

  it("counts against the management rate, and a wrong one against its address", async () => {
    const b = legacyHarness({
      rateLimit: { management: { points: 2, seconds: 10 }, failedAuth: { points: 2, seconds: 10 } },
    });
    const answers = [];
    for (let i = 0; i < 3; i++) answers.push(await b.legacy("GET", "/api/auth"));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[2]?.json).toEqual({
      code: 429,
      title: "Too many requests",
      message: expect.any(String),
      type: "error",
    });
    expect(Number(answers[2]?.headers.get("retry-after"))).toBeGreaterThan(0);
    const failed = [];
    for (let i = 0; i < 3; i++) failed.push((await b.legacy("GET", "/api/auth", { key: "wrong" })).status);
    expect(failed).toEqual([401, 401, 429]);
  });

  it("is not counted as a wrong one where it is missing", async () => {
    const b = legacyHarness({ rateLimit: { failedAuth: { points: 2, seconds: 10 } } });
    const statuses = [];
    for (const key of [null, null, null, b.key]) statuses.push((await b.legacy("GET", "/api/auth", { key })).status);
    expect(statuses).toEqual([401, 401, 401, 200]);
  });
});

describe("the addresses of the legacy API", () => {
  it("answer what is unknown in the legacy shape, with an id in a header", async () => {
    const b = harness();
    for (const [method, path, status, allow] of [
      ["GET", "/api", 404, null],
      ["GET", "/api/", 404, null],
      ["GET", "/api/forms", 404, null],
      ["POST", "/api/form/x/y/z", 404, null],
      ["GET", "/api/form", 405, "PUT"],
      ["POST", "/api/form", 405, "PUT"],
      ["POST", "/api/auth", 405, "GET, HEAD"],
      ["GET", "/api/form/abc", 405, "DELETE"],
      ["DELETE", "/api/form/abc/submissions", 405, "GET, HEAD"],
    ] as const) {
      const { status: answered, json, headers } = await b.legacy(method, path);
      expect([method, path, answered]).toEqual([method, path, status]);
      expect(json).toEqual({ code: status, title: expect.any(String), message: expect.any(String), type: "error" });
      expect(headers.get("allow")).toBe(allow);
      expect(headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{24}$/);
    }
    for (const path of ["/apis", "/v1/api/auth", "/nothing", "/v1/nothing"]) {
      const { status, json } = await b.legacy("GET", path);
      expect([path, status, json.error.code]).toEqual([path, 404, "not_found"]);
    }
  });

  it("answer HEAD without a body, and no cross-origin browser", async () => {
    const b = harness();
    const { status, text, headers } = await b.legacy("HEAD", "/api/auth", {
      headers: { origin: "https://evil.example" },
    });
    expect([status, text]).toEqual([200, ""]);
    expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  it.each([
    ["https://legacy.example.com", "https://legacy.example.com"],
    ["https://legacy.example.com/", "https://legacy.example.com"],
    ["https://legacy.example.com/old", "https://legacy.example.com/old"],
    ["http://localhost:3000/old", "http://localhost:3000/old"],
  ])("follow legacyBaseUrl %s", async (legacyBaseUrl, root) => {
    const b = legacyHarness({ legacyBaseUrl, rateLimit: false });
    expect(await statuses(b, b.key)).toEqual([200, 200, 200, 200]);
    const call = async (url: string) => (await b.fetch(new Request(url, { headers: { api_key: b.key } }))).json();
    expect(await call(`${root}/api/nothing`)).toMatchObject({ code: 404, type: "error" });
    // The management API's own address does not serve it then.
    expect(await call(`${b.baseUrl}/api/auth`)).toMatchObject({ error: { code: "not_found" } });
    // Links still begin with baseUrl.
    const { json } = await b.legacy("PUT", "/api/form", { body: { name: "A" } });
    expect(json.formUrl).toMatch(/^http:\/\/localhost:3000\/forms\/f\/\w{11}$/);
  });

  it("tell a path of v1 from their own under a base path of /api", async () => {
    const b = legacyHarness({ baseUrl: "https://example.com/api", rateLimit: false });
    expect(await statuses(b, b.key)).toEqual([200, 200, 200, 200]);
    expect((await b.legacy("GET", "/v1/nothing")).json.error.code).toBe("not_found");
    expect((await b.legacy("GET", "/api/nothing")).json.code).toBe(404);
  });

  it("say in their own shape that storage is down, and nothing of its cause", async () => {
    const b = harness();
    await b.close();
    const { status, json } = await b.legacy("GET", "/api/auth");
    expect([status, json.code, json.type]).toEqual([503, 503, "error"]);
  });
});
