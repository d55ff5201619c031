import { describe, expect, it } from "vitest";
import { hashKey, looksLikeKey, newKey } from "../../../../src/features/keys/token.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

describe("the form of a key", () => {
  it("is prefix, 32 base62 characters and a CRC32 checksum", () => {
    expect(looksLikeKey("fb_live_", "fb_live_0123456789ABCDEFGHIJKLMNOPQRSTUV35OXOh")).toBe(true);
    const key = newKey("fb_live_");
    expect(key).toMatch(/^fb_live_[0-9A-Za-z]{38}$/);
    expect(looksLikeKey("fb_live_", key)).toBe(true);
  });

  it("shows a typo in any place", () => {
    const key = newKey("fb_live_");
    for (let i = 0; i < key.length; i++) {
      const typo = key.slice(0, i) + (key[i] === "x" ? "y" : "x") + key.slice(i + 1);
      expect(looksLikeKey("fb_live_", typo)).toBe(false);
    }
    for (let i = 0; i < key.length; i++) expect(looksLikeKey("fb_live_", key.slice(0, i))).toBe(false);
  });
});

describe("keys", () => {
  it("are shown once and stored as a hash", async () => {
    const storage = memoryStorage();
    const b = harness({ storage });
    const { key, ...created } = await b.keys.create({ name: "ci", scopes: ["submissions:read", "forms:read"] });
    expect(created).toEqual({
      id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
      name: "ci",
      team_id: "default",
      scopes: ["forms:read", "submissions:read"],
      form_ids: null,
      created_at: "2026-01-01T00:00:00.000Z",
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    });
    expect(await b.keys.get(created.id)).toEqual(created);
    expect((await b.keys.list()).map(({ name }) => name).sort()).toEqual(["ci", "test"]);
    const row = (await storage.get("keys", [created.id])).get(created.id);
    expect(JSON.stringify(row)).not.toContain(key);
    expect(row?.value["hash"]).toBe(hashKey(key));
  });

  it.each([
    ["name", { name: "", scopes: "all" }],
    ["scopes", { name: "a", scopes: [] }],
    ["scopes", { name: "a", scopes: ["everything"] }],
    ["team_id", { name: "a", scopes: "all", team_id: "nobody" }],
    ["expires_at", { name: "a", scopes: "all", expires_at: "tomorrow" }],
    ["form_ids", { name: "a", scopes: "all", form_ids: [] }],
    ["extra", { name: "a", scopes: "all", extra: 1 }],
  ])("a wrong %s is refused by name", async (param, input) => {
    await expect(harness().keys.create(input as never)).rejects.toMatchObject({ code: "invalid_parameter", param });
  });

  it("are listed for one team or all; a misspelt team_id lists none", async () => {
    const b = harness();
    await b.teams.create({ id: "acme", name: "Acme" });
    await b.keyWith("all", { team_id: "acme" });
    expect((await b.keys.list({ team_id: "acme" })).map(({ name }) => name)).toEqual(["k"]);
    await expect(b.keys.list({ teamId: "acme" } as never)).rejects.toMatchObject({
      code: "invalid_parameter",
      param: "teamId",
    });
  });

  it.each([
    ["no header", {}, "missing_bearer"],
    ["another scheme", { authorization: "Basic abc" }, "missing_bearer"],
    ["an empty bearer", { authorization: "Bearer " }, "missing_bearer"],
    ["the legacy header", { api_key: "fb_live_0123456789ABCDEFGHIJKLMNOPQRSTUV35OXOh" }, "missing_bearer"],
    ["a half-written key", { authorization: "Bearer fb_live_0123456789" }, "invalid_key"],
    ["a key nobody made", { authorization: "Bearer fb_live_0123456789ABCDEFGHIJKLMNOPQRSTUV35OXOh" }, "invalid_key"],
  ])("%s is 401", async (_, headers, code) => {
    const { status, json } = await harness().call("GET", "/v1/forms", {
      key: null,
      headers: headers as Record<string, string>,
    });
    expect([status, json.error.code, json.error.type]).toEqual([401, code, "authentication_error"]);
  });

  it("revoked and expired ones are refused at once", async () => {
    const b = harness();
    const revoked = await b.keys.create({ name: "a", scopes: "all" });
    expect((await b.call("GET", "/v1/forms", { key: revoked.key })).status).toBe(200);
    expect((await b.keys.revoke(revoked.id)).revoked_at).toBe("2026-01-01T00:00:00.000Z");
    expect((await b.call("GET", "/v1/forms", { key: revoked.key })).json.error.code).toBe("invalid_key");
    await b.keys.revoke(revoked.id);
    const short = await b.keys.create({ name: "b", scopes: "all", expires_at: "2026-01-01T01:00:00+00:00" });
    await b.clock.advance(3_599_999);
    expect((await b.call("GET", "/v1/forms", { key: short.key })).status).toBe(200);
    await b.clock.advance(1);
    expect((await b.call("GET", "/v1/forms", { key: short.key })).json.error.code).toBe("invalid_key");
  });

  it("a revocation reaches another process on the same store within 5 s", async () => {
    const storage = memoryStorage();
    const [one, two] = [harness({ storage }), harness({ storage })];
    const { id, key } = await one.keys.create({ name: "a", scopes: "all" });
    expect((await two.call("GET", "/v1/forms", { key })).status).toBe(200);
    await one.keys.revoke(id);
    await two.clock.advance(4_999);
    expect((await two.call("GET", "/v1/forms", { key })).status).toBe(401);
  });

  it("say when they were last used, at most once a minute", async () => {
    const b = harness();
    const { id, key } = await b.keys.create({ name: "a", scopes: "all" });
    const use = async () => {
      await b.call("GET", "/v1/forms", { key });
      return (await b.keys.get(id)).last_used_at;
    };
    expect(await use()).toBe("2026-01-01T00:00:00.000Z");
    await b.clock.advance(59_000);
    expect(await use()).toBe("2026-01-01T00:00:00.000Z");
    await b.clock.advance(1_000);
    expect(await use()).toBe("2026-01-01T00:01:00.000Z");
  });

  it("without the scope get 403 with the scopes that are missing, and touch nothing", async () => {
    const b = harness();
    const key = await b.keyWith(["forms:read", "submissions:write"]);
    const { status, json } = await b.call("POST", "/v1/forms", { key, body: { name: 5 } });
    expect([status, json.error.code, json.error.required]).toEqual([403, "insufficient_scope", ["forms:write"]]);
  });

  it("restricted to forms reach those alone and create none", async () => {
    const b = harness();
    const [mine, other] = [await b.forms.create({ name: "mine" }), await b.forms.create({ name: "other" })];
    const key = await b.keyWith("all", { form_ids: [mine.id] });
    expect((await b.call("GET", `/v1/forms/${mine.id}`, { key })).status).toBe(200);
    const denied = await b.call("PATCH", `/v1/forms/${other.id}`, { key, body: { nonsense: 1 } });
    expect([denied.status, denied.json.error.code]).toEqual([403, "form_access_restricted"]);
    const create = await b.call("POST", "/v1/forms", { key, body: "not even JSON" });
    expect([create.status, create.json.error.code]).toEqual([403, "form_access_restricted"]);
    expect((await b.call("GET", "/v1/forms", { key })).json.data.map(({ name }: { name: string }) => name)).toEqual([
      "mine",
    ]);
  });
});
