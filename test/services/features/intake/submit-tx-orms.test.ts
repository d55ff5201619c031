import { PGlite } from "@electric-sql/pglite";
import { drizzle as drizzleNeon } from "drizzle-orm/neon-http";
import knex from "knex";
import { Kysely, MysqlDialect, PostgresDialect } from "kysely";
import mysql from "mysql2";
import pg from "pg";
import postgres from "postgres";
import { DataSource } from "typeorm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import type { Transaction } from "../../../../src/drivers/storage/types.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { POSTGRES_URL, temporaryDatabase } from "../../../_support/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { transactionCases } from "../../../_support/transactions/cases.ts";
import { postgresLibraries } from "../../../_support/transactions/postgres.ts";

withPostgres((pool) => {
  describe("submit in a transaction of", () => {
    const schema = freshSchema();
    const own = `${schema}.hosts_own`;
    let backend: TestBackend;
    let form: string;
    beforeAll(async () => {
      backend = createTestBackend({ storage: postgresStorage({ pool, schema, timeoutMs: PATIENT_MS }) });
      form = (await backend.forms.create({ name: "A", spam: { protection: false } })).id;
      await pool.query(`CREATE TABLE ${own} (submission_id text)`);
    });
    afterAll(() => backend.close());
    const count = async (table: string): Promise<number> =>
      (await pool.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n;

    for (const library of postgresLibraries) {
      transactionCases(library, () => ({ url: POSTGRES_URL, backend, form, own, count }));
    }

    it("is refused with its name if it can't be one, before anything is asked", async () => {
      const clients = new pg.Pool();
      const js = postgres("postgres://nobody@127.0.0.1:1/none");
      const ofKnex = knex({ client: "pg" });
      const source = new DataSource({ type: "postgres" });
      const neon = (): void => {};
      const refused: [unknown, RegExp][] = [
        ["BEGIN", /`tx` is BEGIN; pass a client of pg, or a transaction of Drizzle/],
        [null, /`tx` is null; pass a client of pg/],
        [
          new Kysely({ dialect: new PostgresDialect({ pool: clients }) }),
          /is `Kysely` itself; pass the `tx` of `db\.trans/,
        ],
        [ofKnex, /is `knex` itself; pass the `tx` of `knex\.transaction/],
        [source.manager, /is an `EntityManager` of TypeORM without a transaction; pass the `tx` of/],
        [source.createQueryRunner(), /`tx`, a `QueryRunner` of TypeORM, has no transaction open; run BEGIN/],
        [js, /is `sql` of postgres\.js itself; pass the `tx` of `sql\.begin/],
        [
          Object.assign(neon, { query: neon, unsafe: neon, transaction: neon }),
          /is Neon over HTTP, which has no inter/,
        ],
        [
          drizzleNeon({ client: neon as never }),
          /is Neon over HTTP, which has no interactive transactions; use its `Pool`/,
        ],
        [mysql.createPool({}), /is a pool; pass the connection/],
        [new PGlite(), /is of PGlite, whose only connection is taken/],
        [new Kysely({ dialect: new MysqlDialect({ pool: mysql.createPool({}) }) }).withTables(), /is `Kysely` itself/],
      ];
      for (const [tx, message] of refused) {
        const submitting = backend.submit(form, { fields: { n: "1" } }, { tx: tx as Transaction });
        await expect(submitting).rejects.toThrow(TypeError);
        await expect(submitting).rejects.toThrow(message);
      }
    });

    it("of another database is refused before anything is written", async () => {
      const other = await temporaryDatabase();
      const refused = async (message: RegExp) => {
        const client = await other.pool.connect();
        try {
          await client.query("BEGIN");
          const submitting = backend.submit(form, { fields: { n: "1" } }, { tx: client });
          await expect(submitting).rejects.toThrow(TypeError);
          await expect(submitting).rejects.toThrow(message);
          // It stays usable.
          await client.query("SELECT 1");
          await client.query("COMMIT");
        } finally {
          client.release();
        }
      };
      await refused(new RegExp(`is in a database without the schema "${schema}" of the store; pass a client of pg`));
      // The same schema, with tables of the same names.
      const twin = postgresStorage({ pool: other.pool, schema, timeoutMs: PATIENT_MS });
      await twin.open();
      await refused(/`tx` is in another database than the store; pass a client of pg/);
      const { rows } = await other.pool.query(`SELECT count(*)::int AS n FROM ${schema}.submissions`);
      expect(rows).toEqual([{ n: 0 }]);
      await twin.close();
    }, 120_000);

    it("that an error has ended is refused with that error", async () => {
      const client = await pool.connect();
      await client.query("BEGIN");
      await client.query("SELECT 1 / 0").catch(() => {});
      const refused = await backend
        .submit(form, { fields: { n: "1" } }, { tx: client })
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(TypeError);
      expect(refused).toMatchObject({ cause: { code: "25P02" } });
      await client.query("ROLLBACK");
      client.release();
    });
  });
});
