import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { createFormBackend } from "../../../../src/index.ts";
import { bucketOf, portOf, secretOf, settingsOf } from "../../../../src/surfaces/cli/environment.ts";
import { createTestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

const [older, newer] = ["a".repeat(32), "b".repeat(32)];

describe("keys", () => {
  it("are created, listed and revoked in the store of serve", async () => {
    const cwd = temporaryDirectory();
    const { cli } = terminal({ cwd });
    const made = await cli(
      "keys",
      "create",
      "--name",
      "ci",
      "--scopes",
      "forms:read,forms:write",
      "--expires",
      "2099-01-31",
    );
    expect(made.code).toBe(0);
    expect(made.out).toMatch(/^fb_live_\w+\n$/);
    expect(made.err).toMatch(/\.form-backend\/forms\.db/);
    const { out } = await cli("keys", "list", "--json");
    expect(parsed(out)).toMatchObject([
      { name: "ci", scopes: ["forms:read", "forms:write"], expires_at: "2099-01-31T00:00:00.000Z" },
    ]);
    expect(out).not.toContain(made.out.trim());
    const [key] = parsed(out);
    expect((await cli("keys", "revoke", String(key?.["id"]))).code).toBe(0);
    expect((await cli("keys", "list")).out).toMatch(/revoked/);
    expect(await cli("keys", "revoke", "key_none")).toMatchObject({ code: 1, out: "" });
    const store = createTestBackend({ storage: sqliteStorage({ path: join(cwd, ".form-backend/forms.db") }) });
    const { data } = await store.audit.list();
    expect(data.slice(0, 2)).toMatchObject([
      { action: "revoke_key", via: "cli", actor: { type: "host" }, ids: [key?.["id"]] },
      { action: "create_key", via: "cli", actor: { type: "host" }, ids: [key?.["id"]] },
    ]);
    await store.close();
  });

  it("expire after a duration, and never before they are made", async () => {
    const now = Date.now();
    const { cli } = terminal({ cwd: temporaryDirectory(), now: () => now });
    const create = (time: string) =>
      cli("keys", "create", "--name", "a", "--scopes", "all", "--expires", time, "--json");
    const made = await create("30d");
    expect(parsed(made.out)).toMatchObject([{ expires_at: new Date(now + 30 * 86_400_000).toISOString() }]);
    for (const past of ["2020-01-31", new Date(now).toISOString(), "0d"]) {
      const { code, err } = await create(past);
      expect({ past, code }).toEqual({ past, code: 64 });
      expect(err).toMatch(/must lie ahead/);
    }
  });

  it("are not looked for in an empty folder, where a new database would seem to have none", async () => {
    const cwd = temporaryDirectory();
    const { cli } = terminal({ cwd });
    for (const args of [
      ["keys", "list"],
      ["keys", "revoke", "key_1"],
      ["secrets", "reseal"],
    ]) {
      const { code, err } = await cli(...args);
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(err).toMatch(/There is no database at .*DATABASE_URL/);
    }
    expect(existsSync(join(cwd, ".form-backend"))).toBe(false);
  });

  it.each([
    [["keys", "create", "--name", "x", "--scopes", "read"], /must be all, or some of forms:read/],
    [["keys", "create", "--name", "x"], /--scopes <scopes>' not specified/],
    [["keys", "create", "--scopes", "all"], /--name <name>' not specified/],
  ])("%j is refused with 64", async (args, message) => {
    const { code, err } = await terminal({ cwd: temporaryDirectory() }).cli(...args);
    expect(code).toBe(64);
    expect(err).toMatch(message);
  });
});

describe("the environment", () => {
  it.each([
    [{ DATABASE_URL: "oracle://x" }, /DATABASE_URL must begin with postgres/],
    [{ DATABASE_URL: "postgres://u:hidden@h/d" }, /FORM_BACKEND_SECRET is not set.*openssl/],
    [{ NODE_ENV: "production" }, /FORM_BACKEND_SECRET is not set.*openssl/],
    [{ FORM_BACKEND_SECRET: "short" }, /at least 32/],
  ])("%j is refused with 64, and nothing secret is shown", async (env, message) => {
    const { code, err } = await terminal({
      env: { FORM_BACKEND_SECRET: undefined, ...env },
      cwd: temporaryDirectory(),
    }).cli("migrate");
    expect(err).toMatch(message);
    expect(code).toBe(64);
    expect(err).not.toContain("hidden");
  });

  it("describes a bucket by one URL", () => {
    expect(bucketOf("https://id:s%2Fecret@s3.eu-central-1.amazonaws.com/forms/uploads/new")).toEqual({
      endpoint: "https://s3.eu-central-1.amazonaws.com",
      bucket: "forms",
      prefix: "uploads/new",
      region: "eu-central-1",
      accessKeyId: "id",
      secretAccessKey: "s/ecret",
    });
    expect(bucketOf("http://id:pw@minio:9000/forms?region=auto")).toMatchObject({
      endpoint: "http://minio:9000",
      region: "auto",
    });
    expect(bucketOf("s3://id:pw@r2.example.com/forms")).toMatchObject({
      endpoint: "https://r2.example.com",
      region: "us-east-1",
    });
    for (const wrong of ["forms", "ftp://id:pw@h/b", "https://h/b", "https://id@h/b", "https://id:pw@h/"]) {
      expect(() => bucketOf(wrong)).toThrow(/S3_URL.*https:\/\/<key id>/);
    }
  });

  it("may list several secrets, and a secret may have commas", () => {
    expect(secretOf({ FORM_BACKEND_SECRET: `${newer}, ${older}` })).toEqual([newer, older]);
    const commas = "a, sentence, with, commas, that is long";
    expect(secretOf({ FORM_BACKEND_SECRET: commas })).toEqual([commas]);
    expect(secretOf({})).toBeUndefined();
  });

  it("sets proxies, networks and the port", () => {
    expect(settingsOf({ FORM_BACKEND_TRUST_PROXY: "1" }).trustProxy).toBe(1);
    expect(settingsOf({ FORM_BACKEND_TRUST_PROXY: "10.0.0.0/8, 192.168.0.0/16" }).trustProxy).toEqual([
      "10.0.0.0/8",
      "192.168.0.0/16",
    ]);
    expect(settingsOf({ FORM_BACKEND_WEBHOOK_CIDRS: "127.0.0.0/8" }).webhooks).toEqual({
      allowCidrs: ["127.0.0.0/8"],
      allowHttp: true,
    });
    expect(settingsOf({})).toEqual({ plans: { unlimited: { webhooks_per_form: 10 } } });
    expect(portOf({}, undefined)).toBe(3000);
    expect(portOf({ PORT: "8080" }, undefined)).toBe(8080);
    expect(portOf({ PORT: "8080" }, 9000)).toBe(9000);
    for (const PORT of ["http", "70000", "-1"]) expect(() => portOf({ PORT }, undefined)).toThrow(/PORT must be/);
  });
});

describe("migrate", () => {
  it("creates the tables, and prints SQL for PostgreSQL and for SQLite", async () => {
    const cwd = temporaryDirectory();
    expect(await terminal({ cwd }).cli("migrate")).toMatchObject({ code: 0, out: "" });
    expect(existsSync(join(cwd, ".form-backend/forms.db"))).toBe(true);
    const printed = await terminal({ cwd }).cli("migrate", "--print");
    expect(printed).toMatchObject({ code: 0, out: expect.stringContaining("CREATE TABLE") });
    const { code, out } = await terminal({ env: { DATABASE_URL: "postgres://nobody@nowhere/d" } }).cli(
      "migrate",
      "--print",
    );
    expect(code).toBe(0);
    expect(out).toMatch(/^BEGIN;\n[\s\S]*CREATE TABLE[\s\S]*COMMIT;\n$/);
  });
});

describe("secrets reseal", () => {
  it("moves everything under the first secret, and fails while something needs another one", async () => {
    const cwd = temporaryDirectory();
    const env = (FORM_BACKEND_SECRET: string) => terminal({ cwd, env: { FORM_BACKEND_SECRET } });
    await env(older).cli("migrate");
    const open = (secret: string) =>
      createFormBackend({
        baseUrl: "http://localhost:3000",
        secret,
        storage: sqliteStorage({ path: join(cwd, ".form-backend/forms.db") }),
        work: false,
      });
    const before = open(older);
    const form = await before.forms.create({ name: "A" });
    await before.webhooks.create(form.id, { url: "https://crm.example.com/in" });
    await before.close();

    const stuck = await env(newer).cli("secrets", "reseal", "--json");
    expect(stuck.code).toBe(1);
    expect(parsed(stuck.out)).toEqual([{ resealed: 0, left: 1 }]);
    const moved = await env(`${newer}, ${older}`).cli("secrets", "reseal", "--json");
    expect(moved.code).toBe(0);
    expect(parsed(moved.out)).toEqual([{ resealed: 1, left: 0 }]);
    expect(parsed((await env(newer).cli("secrets", "reseal", "--json")).out)).toEqual([{ resealed: 0, left: 0 }]);
  });

  it("shows its progress on a terminal, is quiet elsewhere, and goes on after Ctrl-C", async () => {
    const cwd = temporaryDirectory();
    const env = { FORM_BACKEND_SECRET: older };
    await terminal({ cwd, env }).cli("migrate");
    const backend = createFormBackend({
      baseUrl: "http://localhost:3000",
      secret: older,
      storage: sqliteStorage({ path: join(cwd, ".form-backend/forms.db") }),
      work: false,
    });
    for (const name of ["A", "B", "C"]) {
      const { id } = await backend.forms.create({ name });
      await backend.webhooks.create(id, { url: "https://crm.example.com/in" });
    }
    await backend.close();
    const both = { FORM_BACKEND_SECRET: `${newer},${older}` };
    const tty = { in: true, out: true, err: true };
    let time = 0;
    const now = (): number => (time += 1_000);
    const shell = terminal({ cwd, env: both, tty, now });
    const { io, stop } = shell;
    let err = "";
    Object.assign(io, {
      err: (text: string) => {
        err += text;
        if (text.includes("2 forms")) stop.abort(new Error("Interrupted by SIGINT."));
      },
    });
    expect((await shell.cli("secrets", "reseal")).code).toBe(1);
    expect(err).toContain("\r\u001b[K1 forms and email servers");
    const rest = await terminal({ cwd, env: both }).cli("secrets", "reseal", "--json");
    expect(rest).toMatchObject({ code: 0, err: "" });
    expect(parsed(rest.out)).toEqual([{ resealed: 1, left: 0 }]);
  });
});
