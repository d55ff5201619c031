import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Route } from "../../../../src/core/http/route.ts";
import { newKey } from "../../../../src/features/keys/token.ts";
import type { Scope } from "../../../../src/index.ts";
import { scopes as allScopes } from "../../../../src/model/keys.ts";
import { routes } from "../../../../src/surfaces/api/table.ts";
import { harness } from "../../../_support/backend.ts";
import { AUDIENCE, NOW, signer } from "../../features/keys/_issuer.ts";

// Every row of the table against every kind of credential, so that a row which is added later is held to the same order:
// credential → team → scope → (rate) → form access → input.
const ISSUER = "https://login.example.com";
const pair = await signer("one");
const rows = Object.entries(routes).map(([name, row]) => [name, row as unknown as Route] as const);
const guarded = rows.filter(([, row]) => row.scopes !== null);
const ofForm = guarded.filter(([, row]) => row.path.includes(":form_id"));
const scoped = guarded.filter(([, row]) => (row.scopes?.length ?? 0) > 0);

const world = async () => {
  const b = harness({ rateLimit: false, oauth: { issuer: ISSUER, audience: AUDIENCE, jwks: { keys: [pair.jwk] } } });
  await b.teams.create({ id: "acme", name: "Acme" });
  await b.teams.create({ id: "other", name: "Other" });
  const form = await b.forms.create(
    { name: "Secret name", self_email_notification: { recipients: ["a@example.com"] } },
    { team_id: "acme" },
  );
  const webhook = await b.webhooks.create(form.id, { url: "https://receiver.example.com/" });
  const submission = await b.submit(form.id, { fields: { email: "ann@example.com", message: "Secret text" } });
  await b.tick();
  const key = (more: object = {}) =>
    b.keys.create({ name: "k", scopes: "all", team_id: "acme", ...more } as Parameters<typeof b.keys.create>[0]);
  return { b, form, webhook, submission, key };
};
type World = Awaited<ReturnType<typeof world>>;

/** Calls a row with ids that exist and a body that is wrong, for none of these callers may get as far as the body. */
async function call({ b, form, webhook, submission }: World, row: Route, key: string | null, formId = form.id) {
  const ids: Record<string, string> = {
    form_id: formId,
    webhook_id: webhook.id,
    submission_id: submission.id,
    email: encodeURIComponent("a@example.com"),
  };
  const path = row.path.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? "x");
  const answer = await b.call(row.method, path, { key, ...(row.method !== "GET" && { body: { nonsense: true } }) });
  const { error } = answer.json ?? {};
  return { ...answer, error, said: error && [answer.status, error.type, error.code] };
}

const unauthorised = (code: string) => [401, "authentication_error", code];
const forbidden = (code: string) => [403, "permission_error", code];
const leaks = /Secret|ann@example|receiver\.example/;

const token = (claims: Record<string, unknown> = {}, header = {}) =>
  pair.token(ISSUER, { team_ids: ["acme"], scope: allScopes.join(" "), ...claims }, header);
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const claims = { iss: ISSUER, aud: AUDIENCE, sub: "u", exp: NOW + 300, team_ids: ["acme"], scope: allScopes.join(" ") };

const refusedCredentials: [string, string, (world: World) => Promise<string | null> | string | null][] = [
  ["no credential", "missing_bearer", () => null],
  ["a malformed key", "invalid_key", () => "fb_live_nonsense"],
  ["an unknown key", "invalid_key", () => newKey("fb_live_")],
  [
    "a key with a typo",
    "invalid_key",
    async ({ key }) => (await key()).key.replace(/.$/, (last) => (last === "a" ? "b" : "a")),
  ],
  [
    "a revoked key",
    "invalid_key",
    async ({ b, key }) => {
      const made = await key();
      await b.keys.revoke(made.id);
      return made.key;
    },
  ],
  ["an expired key", "invalid_key", async ({ key }) => (await key({ expires_at: "2025-12-31T23:59:59Z" })).key],
  ["an expired token", "invalid_key", () => token({ exp: NOW - 60 })],
  ["a token of another issuer", "invalid_key", () => token({ iss: "https://evil.example.com" })],
  ["a token that another key signed", "invalid_key", async () => (await signer("one")).token(ISSUER, claims)],
  ["a token for another audience", "wrong_audience", () => token({ aud: "https://other.example.com" })],
  ["a token with algorithm none", "invalid_key", () => `${encoded({ alg: "none" })}.${encoded(claims)}.`],
  [
    "a token that is signed by HMAC with the public key",
    "invalid_key",
    () => {
      const signed = `${encoded({ alg: "HS256", kid: "one" })}.${encoded(claims)}`;
      return `${signed}.${createHmac("sha256", JSON.stringify(pair.jwk)).update(signed).digest("base64url")}`;
    },
  ],
];

describe.each(refusedCredentials)("%s is %s", (_, code, credential) => {
  it("on every row", async () => {
    const w = await world();
    const sent = await credential(w);
    for (const [name, row] of guarded) {
      const { said, text, headers } = await call(w, row, sent);
      expect([name, said]).toEqual([name, unauthorised(code)]);
      expect([name, headers.get("www-authenticate")]).toEqual([
        name,
        expect.stringMatching(/^Bearer resource_metadata="/),
      ]);
      expect(text).not.toMatch(leaks);
    }
  });
});

describe.each<[string, (w: World) => Promise<string>]>([
  ["an API key", async ({ key }) => (await key()).key],
  [
    "a key without scopes to spare, restricted to another form",
    async ({ key }) => (await key({ scopes: ["forms:read"], form_ids: ["x"] })).key,
  ],
  ["an access token", () => token()],
])("a team's state comes before the scopes of %s", (_, credential) => {
  it.each([
    ["team_inactive", { active: false }],
    ["owner_unverified", { owner: { email_verified: false } }],
    ["team_inactive", { active: false, owner: { email_verified: false } }],
  ])("%s on every row", async (code, state) => {
    const w = await world();
    const sent = await credential(w);
    await w.b.teams.update("acme", state);
    for (const [name, row] of guarded) {
      const { said, text } = await call(w, row, sent);
      expect([name, said]).toEqual([name, forbidden(code)]);
      expect(text).not.toMatch(leaks);
    }
  });
});

describe("a credential without a scope", () => {
  it.each(scoped)("%s names what is missing, whatever form is asked for", async (_, row) => {
    const w = await world();
    const needed = row.scopes ?? [];
    const others = allScopes.filter((scope) => !needed.includes(scope)) as Scope[];
    const keys = [(await w.key({ scopes: others })).key, (await w.key({ scopes: others, form_ids: ["x"] })).key];
    keys.push(await token({ scope: others.join(" ") }), (await w.key({ scopes: others, team_id: "other" })).key);
    for (const key of keys) {
      for (const formId of [w.form.id, "none"]) {
        const { said, error } = await call(w, row, key, formId);
        expect([said, error.required]).toEqual([forbidden("insufficient_scope"), needed]);
      }
    }
  });
});

describe("a form of another team", () => {
  it.each(ofForm)("%s answers as for one that does not exist", async (_, row) => {
    const w = await world();
    const strangers = [
      (await w.key({ team_id: "other" })).key,
      await token({ team_ids: ["other"] }),
      await token({ team_ids: ["other", "default"] }),
    ];
    strangers.push((await w.key({ team_id: "other", form_ids: [w.form.id] })).key);
    for (const key of strangers) {
      const [there, nowhere] = [await call(w, row, key), await call(w, row, key, "none")];
      expect(there.said).toEqual([404, "invalid_request_error", "form_not_found"]);
      const bare = ({ text, error }: typeof there) => text.replace(error.request_id, "");
      expect(bare(there)).toBe(bare(nowhere));
      expect([...there.headers.keys()]).toEqual([...nowhere.headers.keys()]);
    }
  });

  it.each(guarded.filter(([, row]) => !row.path.includes(":form_id")))("%s shows nothing of it", async (_, row) => {
    const w = await world();
    const { text, status } = await call(w, row, (await w.key({ team_id: "other" })).key);
    expect(text).not.toMatch(leaks);
    expect(text).not.toContain(w.form.id);
    // A saved reply, a suppressed address and a domain are named in the path, and those of no team of theirs are not found.
    expect(/\/:(reply_id|email|domain)$/.test(row.path) ? [400, 404] : [200, 400]).toContain(status);
  });
});

describe("a key restricted to other forms", () => {
  it.each(ofForm)("%s is form_access_restricted within its team, and 404 elsewhere", async (_, row) => {
    const w = await world();
    const foreign = await w.b.forms.create({ name: "x" }, { team_id: "other" });
    const { key } = await w.key({ form_ids: ["some-form"] });
    const { said, text } = await call(w, row, key);
    expect(said).toEqual(forbidden("form_access_restricted"));
    expect(text).not.toMatch(leaks);
    for (const formId of ["none", foreign.id]) {
      expect((await call(w, row, key, formId)).said).toEqual([404, "invalid_request_error", "form_not_found"]);
    }
  });

  it.each(guarded.filter(([, row]) => row.creates))("%s is refused whatever is sent", async (_, row) => {
    const w = await world();
    expect((await call(w, row, (await w.key({ form_ids: [w.form.id] })).key)).said).toEqual(
      forbidden("form_access_restricted"),
    );
  });

  it.each(guarded.filter(([, row]) => !row.path.includes(":form_id") && !row.creates))(
    "%s shows nothing of them",
    async (_, row) => {
      const w = await world();
      const { text } = await call(w, row, (await w.key({ form_ids: ["some-form"] })).key);
      expect(text).not.toMatch(leaks);
      expect(text).not.toContain(w.form.id);
    },
  );
});

describe("a form of a suspended team, asked for with a credential of several teams", () => {
  it.each(ofForm)("%s is team_inactive or owner_unverified", async (_, row) => {
    const w = await world();
    const key = await token({ team_ids: ["acme", "other"] });
    await w.b.teams.update("acme", { active: false });
    expect((await call(w, row, key)).said).toEqual(forbidden("team_inactive"));
    await w.b.teams.update("acme", { active: true, owner: { email_verified: false } });
    expect((await call(w, row, key)).said).toEqual(forbidden("owner_unverified"));
  });
});

describe("the table", () => {
  it("has a scope for every row but those that anybody may ask or that only describe the caller", () => {
    const names = (wanted: (row: Route) => boolean) => rows.filter(([, row]) => wanted(row)).map(([name]) => name);
    expect(names((row) => row.scopes === null).sort()).toEqual(["health", "openapi", "tlsAllowed"]);
    expect(names((row) => row.scopes?.length === 0)).toEqual(["me"]);
  });

  it("asks for a write scope wherever something is written", () => {
    for (const [name, row] of scoped) {
      const reads = row.method === "GET" || name === "exportDataSubject" || name === "backtestSpam";
      expect([name, row.scopes?.every((scope) => scope.endsWith(reads ? ":read" : ":write"))]).toEqual([name, true]);
    }
  });
});
