import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { migrate, migrations } from "../../../../src/drivers/storage/_postgres/migrations.ts";
import { pgConnections } from "../../../../src/drivers/storage/_postgres/server.ts";
import type { Migration } from "../../../../src/drivers/storage/_sql/migrations.ts";
import { postgresMigrations, postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { field, one, put, submission, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { POSTGRES_URL } from "../../../_support/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { compileDrivers } from "./_compiled.ts";

it("migrations that were released never change", () => {
  // A failure here after the first release means: leave that migration as it was and add the next one.
  const digests = migrations.map(({ sql }) =>
    createHash("sha256").update(sql("form_backend").join(";\n")).digest("hex").slice(0, 16),
  );
  expect(digests).toMatchInlineSnapshot(`
    [
      "9e8997defd82dc7c",
      "fec8d2cd7c5c2d56",
      "2a38e0cebf921fa9",
      "d2d166cf2e37b8a3",
      "78f2d525c2b4ad34",
      "902bd25a69a3be0f",
      "a44ced79debe6b23",
      "3cf092d00a494a32",
      "10d4b65718c7fe35",
      "f4bc5a47bf4c6a70",
      "f6d1136a0f1d6a4b",
    ]
  `);
});

it("a schema's name is checked, and the printed SQL keeps to it", () => {
  for (const schema of ['x"; DROP SCHEMA public; --', "", "1st", "pg_forms", "ž", "x".repeat(64)]) {
    const options = { connectionString: POSTGRES_URL, schema };
    expect(() => postgresStorage(options), schema).toThrow(/postgres: schema ".*" must be up to 63 letters/);
    expect(() => postgresMigrations({ schema }), schema).toThrow(TypeError);
  }
  expect(() => postgresStorage({ pool: {} as never })).toThrow(/pass a pool of pg.* an object with connect\(\)/);
  expect(postgresMigrations({ schema: "Forms" })).toContain('CREATE SCHEMA IF NOT EXISTS "Forms"');
  expect(postgresMigrations({ after: 1 })).not.toContain("collections");
});

withPostgres((pool) => {
  const next = Math.max(...migrations.map(({ id }) => id)) + 1;
  const later = (breaking: boolean): Migration => ({
    ...{ id: next, name: "later", breaking },
    sql: (schema) => [`CREATE TABLE ${schema}.later (a int)`, `ALTER TABLE ${schema}.forms ADD COLUMN later text`],
  });
  const over = (schema: string) => pgConnections(pool, schema, 10_000);
  const applied = async (schema: string): Promise<unknown[]> =>
    (await pool.query(`SELECT id, name, breaking FROM ${schema}.migrations ORDER BY id`)).rows;
  const ours = migrations.map(({ id, name, breaking }) => ({ id, name, breaking }));

  describe("F14: an empty database", () => {
    it("is opened by 20 processes at once: one applies the migrations, none fails", async () => {
      const schema = freshSchema();
      const cwd = compileDrivers();
      const script = `
        const { postgresStorage } = await import("./drivers/storage/postgres.js");
        const driver = postgresStorage({ connectionString: ${JSON.stringify(POSTGRES_URL)}, schema: "${schema}", timeoutMs: 60_000 });
        await driver.open();
        await driver.commit([{ op: "add", id: "opened", by: 1, at: "2026-01-01T00:00:00.000Z" }]);
        await driver.close();`;
      const ends = await Promise.all(
        Array.from({ length: 20 }, () => {
          const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
            cwd,
            stdio: ["ignore", "inherit", "inherit"],
          });
          return new Promise((resolve) => child.on("close", resolve));
        }),
      );
      expect(ends).toEqual(Array.from({ length: 20 }, () => 0));
      expect(await applied(schema)).toEqual(ours);
      const driver = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
      await driver.open();
      expect((await one(driver, "counters", "opened"))?.value.n).toBe(20);
      await driver.close();
    }, 120_000);

    it("gets the index by status where its deliveries are older than that", async () => {
      const schema = freshSchema();
      await migrate(over(schema), schema, migrations.slice(0, 3));
      await pool.query(`INSERT INTO ${schema}.jobs (id, version, status, created_at, data)
        SELECT 'j' || i, 1, CASE WHEN i % 2 = 0 THEN 'failed' ELSE 'succeeded' END, '${time(1)}', '{}' FROM generate_series(1, 20) i`);
      const driver = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
      await driver.open();
      const query = { index: "status", equals: { status: "failed" }, order: "asc", limit: 50 } as const;
      expect(await driver.page("jobs", query)).toHaveLength(10);
      const { rows } = await pool.query("SELECT indexdef FROM pg_indexes WHERE schemaname = $1 AND indexname = $2", [
        schema,
        "jobs_status",
      ]);
      expect(rows).toHaveLength(1);
      await driver.close();
    });

    it("keeps an index that its operator made before the upgrade", async () => {
      const schema = freshSchema();
      await migrate(over(schema), schema, migrations.slice(0, 3));
      const [sql = ""] = migrations[3]!.sql(schema);
      await pool.query(sql.replace("INDEX IF NOT EXISTS", "INDEX CONCURRENTLY"));
      await migrate(over(schema), schema);
      expect(await applied(schema)).toEqual(ours);
    });

    it("serves two versions side by side, whichever comes first", async () => {
      for (const newerFirst of [true, false]) {
        const schema = freshSchema();
        const known = [...migrations, later(false)];
        if (newerFirst) await migrate(over(schema), schema, known);
        const older = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
        await older.open();
        await migrate(over(schema), schema, known);
        const stillOlder = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
        await stillOlder.open();
        for (const driver of [older, stillOlder]) {
          await driver.commit([put("forms", "f", { name: "A" })]);
          expect((await one(driver, "forms", "f"))?.value.name).toBe("A");
        }
        expect(await applied(schema)).toEqual([...ours, { id: next, name: "later", breaking: false }]);
      }
    });

    it("is left as it was by a migration that fails or is cut off, and can be tried again", async () => {
      const schema = freshSchema();
      const broken = {
        ...later(false),
        sql: () => [`CREATE TABLE ${schema}.half (a int)`, "CREATE TABLE nonsense nonsense"],
      };
      await expect(migrate(over(schema), schema, [...migrations, broken])).rejects.toThrow(/syntax/);
      expect((await pool.query("SELECT to_regnamespace($1) AS found", [schema])).rows).toEqual([{ found: null }]);
      const client = await pool.connect();
      const ended = new Promise((resolve) => client.once("error", resolve));
      const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
      const cut = {
        ...later(false),
        sql: (name: string) => [...later(false).sql(name), `SELECT pg_terminate_backend(${rows[0].pid})`, "SELECT 1"],
      };
      const kept = { query: (sql: string, params?: unknown[]) => client.query(sql, params), release: () => {} };
      const once = pgConnections({ connect: async () => kept }, schema, 10_000);
      await expect(migrate(once, schema, [...migrations, cut])).rejects.toThrow(
        /postgres: the server is shutting down/,
      );
      await ended;
      client.release(true);
      expect((await pool.query("SELECT to_regnamespace($1) AS found", [schema])).rows).toEqual([{ found: null }]);
      await migrate(over(schema), schema, [...migrations, later(false)]);
      expect(await applied(schema)).toHaveLength(migrations.length + 1);
    });
  });

  describe("a database", () => {
    it("of a newer version that breaks this one is refused, saying so", async () => {
      const schema = freshSchema();
      await migrate(over(schema), schema, [...migrations, later(true)]);
      const driver = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
      const message = new RegExp(
        `written by a newer form-backend \\(migration ${next} "later"\\); upgrade the package`,
      );
      await expect(driver.open()).rejects.toThrow(message);
      await expect(driver.open()).rejects.toThrow(message);
      await pool.query(`DELETE FROM ${schema}.migrations WHERE id = ${next}`);
      await driver.open();
    });

    it("is refused with row level security, before and while it is used, and says so", async () => {
      const schema = freshSchema();
      await pool.query(postgresMigrations({ schema }));
      const user = `${schema}_rls`;
      await pool.query(`CREATE ROLE ${user} LOGIN; GRANT USAGE ON SCHEMA ${schema} TO ${user};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}`);
      const connectionString = Object.assign(new URL(POSTGRES_URL), { username: user }).href;
      const limited = new pg.Pool({ connectionString, max: 2 });
      try {
        const driver = postgresStorage({ pool: limited, schema, timeoutMs: PATIENT_MS });
        await driver.open();
        await pool.query(`ALTER TABLE ${schema}.forms ENABLE ROW LEVEL SECURITY`);
        const reason = new RegExp(`row level security is not supported, .*schema "${schema}"; turn it off with`);
        await expect(driver.commit([put("forms", "f", { name: "A" }, null)])).rejects.toThrow(reason);
        await expect(postgresStorage({ pool: limited, schema }).open()).rejects.toThrow(reason);
        await postgresStorage({ pool, schema }).open();
      } finally {
        await limited.end();
        await pool.query(`DROP OWNED BY ${user}; DROP ROLE ${user}`);
      }
    });

    it("is refused to a client that returns booleans as texts, and says how to mend it", async () => {
      const types = { getTypeParser: (oid: number) => (oid === 16 ? String : pg.types.getTypeParser(oid)) };
      const own = new pg.Pool({ connectionString: POSTGRES_URL, max: 1, types: types as pg.CustomTypesConfig });
      try {
        await expect(postgresStorage({ pool: own, schema: freshSchema() }).open()).rejects.toThrow(
          /does not return booleans as true and false; remove types\.setTypeParser\(16/,
        );
      } finally {
        await own.end();
      }
    });

    it("is prepared by an owner with the printed SQL, and used by one who may create nothing", async () => {
      const schema = freshSchema();
      await pool.query(postgresMigrations({ schema }));
      expect(await applied(schema)).toEqual(ours);
      const user = `${schema}_user`;
      await pool.query(`CREATE ROLE ${user} LOGIN`);
      const limited = new pg.Pool({
        connectionString: Object.assign(new URL(POSTGRES_URL), { username: user }).href,
        max: 2,
      });
      try {
        const driver = postgresStorage({ pool: limited, schema, timeoutMs: PATIENT_MS });
        await expect(driver.open()).rejects.toThrow(
          new RegExp(`the user lacks rights on the schema "${schema}"; grant them`),
        );
        await pool.query(
          `GRANT USAGE ON SCHEMA ${schema} TO ${user}; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${user}`,
        );
        await expect(driver.open()).rejects.toThrow(
          `the user "${user}" may not write to the schema "${schema}"; run: GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES`,
        );
        await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${user}`);
        await pool.query(`REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} FROM PUBLIC`);
        await expect(driver.open()).rejects.toThrow(
          `the user "${user}" may not call the functions of the schema "${schema}"; run: GRANT EXECUTE ON ALL FUNCTIONS`,
        );
        await pool.query(`GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${user}`);
        await driver.open();
        await driver.commit([put("forms", "f", { name: "A" }, null)]);
        await expect(driver.commit([put("forms", "f", {}, null)])).rejects.toThrow(/stale write/);
        const elsewhere = postgresStorage({ pool: limited, schema: `${schema}_other` });
        await expect(elsewhere.open()).rejects.toThrow(/lacks rights on the schema .*postgresMigrations\(\) prints/);
      } finally {
        await limited.end();
        await pool.query(`DROP OWNED BY ${user}; DROP ROLE ${user}`);
      }
    });

    it("keeps stores in schemas of their own apart", async () => {
      const [a, b] = [freshSchema(), freshSchema()].map((schema) =>
        postgresStorage({ pool, schema, timeoutMs: PATIENT_MS }),
      );
      await a?.open();
      await b?.open();
      await a?.commit([put("forms", "f", { of: "a" })]);
      expect(await one(b!, "forms", "f")).toBeUndefined();
    });

    it("has tables a host can read: declared columns beside the JSON of the rest", async () => {
      const schema = freshSchema();
      const driver = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
      await driver.open();
      await driver.commit([submission("s", 1, { spam: true, country: "DE", fields: [field("a", "b")] })]);
      const sql = `SELECT id, version, form_id, created_at::timestamptz AS at, spam, country, data->'fields'->0->>'value' AS a FROM ${schema}.submissions`;
      expect((await pool.query(sql)).rows).toEqual([
        { id: "s", version: 1, form_id: "f1", at: new Date(time(1)), spam: true, country: "DE", a: "b" },
      ]);
    });

    it("keeps text that its JSON functions refuse, and finds it", async () => {
      const driver = postgresStorage({ pool, schema: freshSchema(), timeoutMs: PATIENT_MS });
      await driver.open();
      const fields = [
        field("a\0", "b\0\ud800c"),
        field("\ue000", "x\ue0000000\ue000"),
        field("\\u0000", "\\ud800 \\\\"),
      ];
      await driver.commit([submission("s", 1, { fields, note: "\0\udfff" })]);
      await driver.commit([submission("t", 2, { fields: [field("a", "plain")] })]);
      expect((await one(driver, "submissions", "s"))?.value).toMatchObject({ fields, note: "\0\udfff" });
      const query = { index: "form", equals: { form_id: "f1" } } as const;
      const found = async (where: Parameters<typeof driver.count>[1]["where"]): Promise<number> =>
        (await driver.count("submissions", { ...query, where, budgetMs: 60_000 })).count;
      expect(await found([{ field: "a\0", op: "eq", value: "b\0\ud800c" }])).toBe(1);
      expect(await found([{ field: null, op: "contains", value: "B\0" }])).toBe(1);
      expect(await found([{ field: "\ue000", op: "starts_with", value: "X\ue0000" }])).toBe(1);
      expect(await found([{ field: "\\u0000", op: "in", value: ["\\ud800 \\\\"] }])).toBe(1);
      expect(await found([{ field: "a\0", op: "exists", value: false }])).toBe(1);
      const { groups } = await driver.count("submissions", {
        ...query,
        groupBy: { field: "\ue000" },
        budgetMs: 60_000,
      });
      expect(groups).toEqual(
        expect.arrayContaining([
          { key: "x\ue0000000\ue000", count: 1 },
          { key: null, count: 1 },
        ]),
      );
      // Ids and columns are no JSON once they are stored.
      await driver.commit([
        submission("\ue000", 3, { country: "\ue000", note: "\ue000" }),
        put("forms", "\ue000", {}, null),
      ]);
      expect((await one(driver, "submissions", "\ue000"))?.value).toMatchObject({ country: "\ue000", note: "\ue000" });
      await expect(driver.commit([put("forms", "\ue000", {}, null)])).rejects.toMatchObject({ id: "\ue000" });
      await expect(driver.commit([put("forms", "a\0b", {})])).rejects.toThrow(TypeError);
      await expect(driver.commit([submission("s", 1, { spam: "yes" })])).rejects.toThrow(/spam must be boolean/);
      expect(
        await driver.page("submissions", { ...query, equals: { form_id: "f1\0x" }, order: "asc", limit: 9 }),
      ).toEqual([]);
    });
  });
});
