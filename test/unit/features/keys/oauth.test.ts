import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { metadataUrls } from "../../../../src/features/keys/key-source.ts";
import type { FormBackendOptions, OAuthOptions } from "../../../../src/index.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { AUDIENCE, issuerServer, NOW, signer } from "./_issuer.ts";

const ISSUER = "https://login.example.com/";
const base64url = (value: object | string): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

const key = await signer("one");
const other = await signer("two");

function withOAuth(oauth: Partial<OAuthOptions> = {}, options: Partial<FormBackendOptions> = {}): Harness {
  return harness({
    oauth: { issuer: ISSUER, audience: AUDIENCE, jwks: { keys: [key.jwk] }, ...oauth },
    ...options,
  } as never);
}
const me = (b: Harness, token: string) => b.call("GET", "/v1/me", { key: token });
const codeOf = async (b: Harness, token: string): Promise<string> => {
  const { status, json } = await me(b, token);
  return status === 200 ? "ok" : `${status} ${json.error.code}`;
};
const team = { team_ids: ["default"], scope: "forms:read" };

describe("access tokens", () => {
  it("are callers with the scopes, teams and end that they say", async () => {
    const b = withOAuth();
    await b.teams.create({ id: "acme", name: "Acme", plan: "free" });
    const token = await key.token(ISSUER, {
      scope: "openid forms:write forms:read profile",
      team_ids: ["acme", "default", "acme", "gone", 7],
    });
    expect((await me(b, token)).json).toEqual({
      auth: "oauth",
      key_id: "app:user-1",
      workspace: { id: "acme", name: "Acme" },
      teams: [
        { id: "acme", name: "Acme", plan: "free" },
        { id: "default", name: "Default", plan: "unlimited" },
      ],
      scopes: ["forms:read", "forms:write"],
      form_ids: null,
      expires_at: new Date((NOW + 300) * 1_000).toISOString(),
    });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
    ["sound", {}, {}, "ok"],
    ["typ JWT", {}, { typ: "JWT" }, "ok"],
    ["no typ", {}, { typ: undefined }, "ok"],
    ["typ application/at+jwt", {}, { typ: "application/at+jwt" }, "ok"],
    ["typ of a logout token", {}, { typ: "logout+jwt" }, "401 invalid_key"],
    ["another issuer", { iss: "https://evil.example.com/" }, {}, "401 invalid_key"],
    ["the issuer without its slash", { iss: ISSUER.slice(0, -1) }, {}, "401 invalid_key"],
    ["no issuer", { iss: undefined }, {}, "401 invalid_key"],
    ["no end", { exp: undefined }, {}, "401 invalid_key"],
    ["ended 4 s ago", { exp: NOW - 4 }, {}, "ok"],
    ["ended 5 s ago", { exp: NOW - 5 }, {}, "401 invalid_key"],
    ["begins in 5 s", { nbf: NOW + 5 }, {}, "ok"],
    ["begins in 6 s", { nbf: NOW + 6 }, {}, "401 invalid_key"],
    ["exp is a text", { exp: "never" }, {}, "401 invalid_key"],
    ["another audience", { aud: "https://other.example.com" }, {}, "401 wrong_audience"],
    ["no audience", { aud: undefined }, {}, "401 wrong_audience"],
    ["one of several audiences", { aud: ["https://other.example.com", AUDIENCE] }, {}, "ok"],
    ["another audience and ended", { aud: "x", exp: NOW - 60 }, {}, "401 invalid_key"],
  ])("%s", async (_, claims, header, expected) => {
    expect(await codeOf(withOAuth(), await key.token(ISSUER, { ...team, ...claims }, header))).toBe(expected);
  });

  it("are refused when another key signed them, also under the first one's name", async () => {
    const b = withOAuth();
    expect(await codeOf(b, await other.token(ISSUER, team))).toBe("401 invalid_key");
    expect(await codeOf(b, await other.token(ISSUER, team, { kid: "one" }))).toBe("401 invalid_key");
  });

  it("of another audience are refused as forged first when another key signed them", async () => {
    expect(await codeOf(withOAuth(), await other.token(ISSUER, { ...team, aud: "x" }, { kid: "one" }))).toBe(
      "401 invalid_key",
    );
  });

  it("are refused with algorithm none, and signed by HMAC with the public key", async () => {
    const b = withOAuth();
    const payload = base64url({ iss: ISSUER, aud: AUDIENCE, sub: "u", exp: NOW + 300, ...team });
    for (const alg of ["none", "None", "NONE", ""]) {
      expect(await codeOf(b, `${base64url({ alg, kid: "one" })}.${payload}.`)).toBe("401 invalid_key");
    }
    for (const secret of [JSON.stringify(key.jwk), String(key.jwk.n), Buffer.from(String(key.jwk.n), "base64url")]) {
      const signed = `${base64url({ alg: "HS256", kid: "one" })}.${payload}`;
      const mac = createHmac("sha256", secret).update(signed).digest("base64url");
      expect(await codeOf(b, `${signed}.${mac}`)).toBe("401 invalid_key");
    }
  });

  it.each(["not-a-token", "a.b", "a.b.c", "a.b.c.d.e", "....", `${"x".repeat(8_000)}.y.z`])(
    "%.20s… is no token",
    async (token) => {
      expect(await codeOf(withOAuth(), token)).toBe("401 invalid_key");
    },
  );

  it("are refused when one bit of the payload or signature is another", async () => {
    const b = withOAuth({}, { rateLimit: false });
    const token = await key.token(ISSUER, team);
    const dots = [token.indexOf("."), token.lastIndexOf(".")] as const;
    for (let at = dots[0] + 1; at < token.length - 1; at += 29) {
      if (at === dots[1]) continue;
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      expect(await codeOf(b, changed)).toBe("401 invalid_key");
    }
  });

  it.each(["ES256", "EdDSA", "PS256"] as const)("signed with %s are taken", async (alg) => {
    const pair = await signer("k", alg);
    const b = withOAuth({ jwks: { keys: [key.jwk, pair.jwk] } });
    expect(await codeOf(b, await pair.token(ISSUER, team))).toBe("ok");
  });

  it("without `kid` are tried with every key that fits", async () => {
    const [a, c, stranger] = await Promise.all([signer(undefined), signer(undefined), signer(undefined)]);
    const b = withOAuth({ jwks: { keys: [a.jwk, c.jwk] } });
    expect(await codeOf(b, await c.token(ISSUER, team))).toBe("ok");
    expect(await codeOf(b, await a.token(ISSUER, team))).toBe("ok");
    expect(await codeOf(b, await stranger.token(ISSUER, team))).toBe("401 invalid_key");
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ["scope", { scope: "forms:read submissions:read" }, ["forms:read", "submissions:read"]],
    ["scp as text", { scp: "forms:read" }, ["forms:read"]],
    ["scp as a list", { scp: ["submissions:write", "x"] }, ["submissions:write"]],
    ["scope before scp", { scope: "forms:read", scp: ["forms:write"] }, ["forms:read"]],
    ["neither", {}, []],
    ["a scope that is no text", { scope: { forms: true } }, []],
  ])("take their scopes from %s", async (_, claims, scopes) => {
    const { json } = await me(withOAuth(), await key.token(ISSUER, { team_ids: ["default"], ...claims }));
    expect(json.scopes).toEqual(scopes);
  });

  it("cover no team when they name none, so that they reach nothing", async () => {
    const b = withOAuth();
    const form = await b.forms.create({ name: "Contact" });
    const token = await key.token(ISSUER, { scope: "forms:read forms:write" });
    expect((await me(b, token)).json).toMatchObject({ workspace: null, teams: [] });
    expect((await b.call("GET", "/v1/forms", { key: token })).json.data).toEqual([]);
    expect((await b.call("GET", `/v1/forms/${form.id}`, { key: token })).json.error.code).toBe("form_not_found");
    const created = await b.call("POST", "/v1/forms", { key: token, body: { name: "x" } });
    expect(created.json.error).toMatchObject({ code: "invalid_parameter", param: "team_id" });
  });

  it("are worth what the host's `claims` says", async () => {
    const b = withOAuth({ claims: ({ sub }) => ({ team_ids: sub === "user-1" ? ["default"] : [], scopes: "all" }) });
    expect((await me(b, await key.token(ISSUER))).json).toMatchObject({
      teams: [{ id: "default" }],
      scopes: ["forms:read", "forms:write", "submissions:read", "submissions:write"],
    });
    const partly = withOAuth({ claims: async () => ({ team_ids: ["default"] }) });
    expect((await me(partly, await key.token(ISSUER, { scope: "forms:read" }))).json.scopes).toEqual(["forms:read"]);
  });

  it("end in 500 and a log line that names the option when `claims` answers nonsense", async () => {
    const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
    const b = withOAuth({ claims: () => ({ team_ids: "default" }) as never }, { logger });
    expect(await codeOf(b, await key.token(ISSUER))).toBe("500 internal_error");
    expect(logger.error.mock.calls.join()).toContain("option `oauth.claims` returned an invalid `team_ids`");
  });

  it("stand beside API keys", async () => {
    const b = withOAuth();
    expect((await me(b, b.key)).json.auth).toBe("api_key");
    expect(await codeOf(b, await key.token(ISSUER, team))).toBe("ok");
    expect(await codeOf(harness(), await key.token(ISSUER, team))).toBe("401 invalid_key");
  });

  it("share one team's state: inactive, unverified, unknown", async () => {
    const b = withOAuth();
    await b.teams.create({ id: "acme", name: "Acme" });
    const token = await key.token(ISSUER, { ...team, team_ids: ["acme"] });
    await b.teams.update("acme", { active: false });
    expect(await codeOf(b, token)).toBe("403 team_inactive");
    await b.teams.update("acme", { active: true, owner: { email_verified: false } });
    expect(await codeOf(b, token)).toBe("403 owner_unverified");
    expect(await codeOf(b, await key.token(ISSUER, { ...team, team_ids: ["nobody"] }))).toBe("401 invalid_key");
  });
});

describe("tokens of several teams", () => {
  const both = { team_ids: ["acme", "beta"], scope: "forms:read forms:write" };

  it("list all of them, narrow to one, and must name one to create", async () => {
    const b = withOAuth();
    for (const id of ["acme", "beta", "gamma"]) await b.teams.create({ id, name: id });
    const forms = [];
    for (const team_id of ["acme", "beta", "gamma"]) forms.push(await b.forms.create({ name: team_id }, { team_id }));
    const token = await key.token(ISSUER, both);
    const list = await b.call("GET", "/v1/forms", { key: token });
    expect(list.json.data.map((form: { team_id: string }) => form.team_id).sort()).toEqual(["acme", "beta"]);
    const beta = await b.call("GET", "/v1/forms?team_id=beta", { key: token });
    expect(beta.json.data.map((form: { team_id: string }) => form.team_id)).toEqual(["beta"]);
    for (const path of ["/v1/forms?team_id=gamma", "/v1/forms?team_id=none"]) {
      expect((await b.call("GET", path, { key: token })).json.error).toMatchObject({
        code: "invalid_parameter",
        param: "team_id",
      });
    }
    expect((await b.call("GET", `/v1/forms/${forms[2]?.id}`, { key: token })).json.error.code).toBe("form_not_found");
    for (const body of [{ name: "x" }, { name: "x", team_id: "gamma" }]) {
      const { status, json } = await b.call("POST", "/v1/forms", { key: token, body });
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "team_id"]);
    }
    const made = await b.call("POST", "/v1/forms", { key: token, body: { name: "x", team_id: "acme" } });
    expect([made.status, made.json.team_id]).toEqual([201, "acme"]);
  });

  it("leave a suspended team out of lists and answer 403 when its form is named", async () => {
    const b = withOAuth();
    for (const id of ["acme", "beta"]) await b.teams.create({ id, name: id });
    const form = await b.forms.create({ name: "a" }, { team_id: "acme" });
    await b.forms.create({ name: "b" }, { team_id: "beta" });
    await b.teams.update("acme", { active: false });
    const token = await key.token(ISSUER, both);
    const list = await b.call("GET", "/v1/forms", { key: token });
    expect(list.json.data.map((entry: { team_id: string }) => entry.team_id)).toEqual(["beta"]);
    expect((await b.call("GET", `/v1/forms/${form.id}`, { key: token })).json.error.code).toBe("team_inactive");
    expect((await b.call("GET", "/v1/forms?team_id=acme", { key: token })).json.error.code).toBe("team_inactive");
    const create = await b.call("POST", "/v1/forms", { key: token, body: { name: "x", team_id: "acme" } });
    expect(create.json.error.code).toBe("team_inactive");
  });
});

describe("the issuer's keys", () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(closing.splice(0).map((close) => close()));
  });
  const serve = async (answers: Map<string, object | number>) => {
    const server = await issuerServer(answers);
    closing.push(server.close);
    return server;
  };
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

  it("come from a URL, are kept, and are fetched again for a new `kid` after 30 s", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const answers = new Map<string, object | number>([["/keys", { keys: [key.jwk] }]]);
    const server = await serve(answers);
    const b = withOAuth({ jwks: `${server.url}/keys` }, { rateLimit: false });
    for (let i = 0; i < 3; i++) expect(await codeOf(b, await key.token(ISSUER, team))).toBe("ok");
    expect(server.asked).toEqual(["/keys"]);

    answers.set("/keys", { keys: [key.jwk, other.jwk] });
    expect(await codeOf(b, await other.token(ISSUER, team))).toBe("401 invalid_key");
    expect(server.asked.length).toBe(1);
    vi.setSystemTime(Date.now() + 31_000);
    expect(await codeOf(b, await other.token(ISSUER, team))).toBe("ok");
    expect(server.asked.length).toBe(2);

    answers.set("/keys", { keys: [other.jwk] });
    vi.setSystemTime(Date.now() + 10 * 60_000 + 1);
    expect(await codeOf(b, await key.token(ISSUER, team))).toBe("401 invalid_key");
    expect(await codeOf(b, await other.token(ISSUER, team))).toBe("ok");
  });

  it.each<[string, string, (url: string) => [string, object | number][]]>([
    [
      "RFC 8414 metadata",
      "/t/1",
      (url) => [["/.well-known/oauth-authorization-server/t/1", { issuer: `${url}/t/1`, jwks_uri: `${url}/k` }]],
    ],
    [
      "OpenID Connect metadata",
      "/t/1",
      (url) => [["/t/1/.well-known/openid-configuration", { issuer: `${url}/t/1`, jwks_uri: `${url}/k` }]],
    ],
    [
      "OpenID Connect metadata where the other names a stranger",
      "",
      (url) => [
        ["/.well-known/oauth-authorization-server", { issuer: "https://evil.example.com", jwks_uri: `${url}/evil` }],
        ["/.well-known/openid-configuration", { issuer: url, jwks_uri: `${url}/k` }],
      ],
    ],
  ])("are found by %s", async (_, path, metadata) => {
    const answers = new Map<string, object | number>([["/k", { keys: [key.jwk] }]]);
    const server = await serve(answers);
    for (const [at, body] of metadata(server.url)) answers.set(at, body);
    const issuer = server.url + path;
    const b = harness({ oauth: { issuer, audience: AUDIENCE } });
    expect(await codeOf(b, await key.token(issuer, team))).toBe("ok");
    expect(await codeOf(b, await key.token(issuer, team))).toBe("ok");
    expect(server.asked.filter((at) => at.includes("well-known")).length).toBeLessThanOrEqual(2);
    expect(server.asked).not.toContain("/evil");
  });

  it("are asked for where each standard says", () => {
    expect(metadataUrls("https://a.example/")).toEqual([
      "https://a.example/.well-known/oauth-authorization-server",
      "https://a.example/.well-known/openid-configuration",
    ]);
    expect(metadataUrls("https://a.example/realms/x")).toEqual([
      "https://a.example/.well-known/oauth-authorization-server/realms/x",
      "https://a.example/realms/x/.well-known/openid-configuration",
    ]);
  });

  it.each<[string, [string, object | number][]]>([
    ["the metadata is not there", []],
    ["the metadata is no metadata", [["/.well-known/openid-configuration", { hello: 1 }]]],
    [
      "the key set answers 500",
      [
        ["/.well-known/openid-configuration", { jwks_uri: "/k" }],
        ["/k", 500],
      ],
    ],
    [
      "the key set is none",
      [
        ["/.well-known/openid-configuration", { jwks_uri: "/k" }],
        ["/k", { keys: "none" }],
      ],
    ],
  ])("are missed with 503 when %s, and had once it is mended", async (_, broken) => {
    const answers = new Map<string, object | number>();
    const server = await serve(answers);
    const at = (body: object | number) =>
      typeof body === "object" && "jwks_uri" in body
        ? { issuer: server.url, jwks_uri: server.url + body.jwks_uri }
        : body;
    for (const [path, body] of broken) answers.set(path, at(body));
    const b = harness({ oauth: { issuer: server.url, audience: AUDIENCE }, logger: quiet });
    const token = await key.token(server.url, team);
    const { status, json, headers } = await me(b, token);
    expect([status, json.error.code, headers.get("retry-after")]).toEqual([503, "unavailable", "5"]);
    expect((await me(b, b.key)).status).toBe(200);

    answers.set("/.well-known/openid-configuration", at({ jwks_uri: "/k" }));
    answers.set("/k", { keys: [key.jwk] });
    expect(await codeOf(b, token)).toBe("ok");
  });

  it("that are still good outlive the issuer, whatever `kid` somebody makes up", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const server = await issuerServer(new Map<string, object>([["/k", { keys: [key.jwk] }]]));
    const b = withOAuth({ jwks: new URL(`${server.url}/k`) }, { logger: quiet });
    expect(await codeOf(b, await key.token(ISSUER, team))).toBe("ok");
    await server.close();
    vi.setSystemTime(Date.now() + 31_000);
    expect(await codeOf(b, await other.token(ISSUER, team))).toBe("503 unavailable");
    expect(await codeOf(b, await key.token(ISSUER, team))).toBe("ok");
  });

  it("are not waited for when a token is refused without them", async () => {
    const b = harness({ oauth: { issuer: "http://127.0.0.1:1", audience: AUDIENCE }, logger: quiet });
    expect(await codeOf(b, `${base64url({ alg: "none" })}.${base64url({})}.`)).toBe("401 invalid_key");
    expect(await codeOf(b, "garbage")).toBe("401 invalid_key");
  });
});

describe("protected resource metadata (RFC 9728)", () => {
  const path = "/.well-known/oauth-protected-resource";

  it("says where tokens come from, to any page", async () => {
    const { status, json, headers } = await withOAuth({ audience: ["forms", AUDIENCE] }).call("GET", path, {
      key: null,
    });
    expect(status).toBe(200);
    expect(json).toEqual({
      resource: AUDIENCE,
      resource_name: "Form Backend",
      authorization_servers: [ISSUER],
      scopes_supported: ["forms:read", "forms:write", "submissions:read", "submissions:write"],
      bearer_methods_supported: ["header"],
    });
    expect(headers.get("access-control-allow-origin")).toBe("*");
  });

  it("names the base URL where no audience is a URL", async () => {
    const b = withOAuth({ audience: "forms" });
    expect((await b.call("GET", path, { key: null })).json.resource).toBe(b.baseUrl);
  });

  it("is not there without OAuth", async () => {
    expect((await harness().call("GET", path, { key: null })).status).toBe(404);
  });

  it("is named by every 401 of the management API", async () => {
    const b = withOAuth();
    const expected = `Bearer resource_metadata="${b.baseUrl}${path}"`;
    for (const key of [null, "fb_live_nothing"]) {
      const { status, headers } = await b.call("GET", "/v1/forms", { key });
      expect([status, headers.get("www-authenticate")]).toEqual([401, expected]);
    }
    expect((await b.call("GET", "/v1/forms")).headers.get("www-authenticate")).toBeNull();
    expect((await harness().call("GET", "/v1/forms", { key: null })).headers.get("www-authenticate")).toBe("Bearer");
  });
});

describe("the option `oauth`", () => {
  it.each<[string, object, string]>([
    ["issuer", { issuer: "login.example.com", audience: "a" }, "oauth.issuer"],
    ["audience", { issuer: ISSUER }, "oauth.audience"],
    ["audience", { issuer: ISSUER, audience: [] }, "oauth.audience"],
    ["jwks", { issuer: ISSUER, audience: "a", jwks: { key: [] } }, "oauth.jwks"],
    ["jwks", { issuer: ISSUER, audience: "a", jwks: "file:///etc/passwd" }, "oauth.jwks"],
    ["claims", { issuer: ISSUER, audience: "a", claims: "x" }, "oauth.claims"],
    ["anything else", { issuer: ISSUER, audience: "a", scope: "x" }, "oauth.scope"],
  ])("names a wrong %s", (_, oauth, named) => {
    expect(() => harness({ oauth } as never)).toThrow(`option \`${named}\``);
  });
});
