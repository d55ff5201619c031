import BetterSqlite3 from "better-sqlite3";
import { sql } from "drizzle-orm";
import { drizzle as drizzleSqlite } from "drizzle-orm/better-sqlite3";
import { migrate as migrateSqlite } from "drizzle-orm/better-sqlite3/migrator";
import { drizzle as drizzleMysql } from "drizzle-orm/mysql2";
import { migrate as migrateMysql } from "drizzle-orm/mysql2/migrator";
import { createPool } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { printedRest, printedSchema } from "../../../../src/drivers/storage/_schema/print.ts";
import { type Column, describedTables, listTable } from "../../../../src/drivers/storage/_schema/tables.ts";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver, Transaction } from "../../../../src/drivers/storage/types.ts";
import { collections } from "../../../../src/model/collections.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { freshPrefix, MYSQL_URL, withMysql } from "../../../_support/mysql.ts";
import { PATIENT_MS } from "../../../_support/postgres-schema.ts";
import { drizzleProject, prismaMysqlStatements } from "../../../_support/schema-tools.ts";
import { prismaMariaDb } from "../../../_support/transactions/mysql.ts";
import { type PrismaClient, prismaClient } from "../../../_support/transactions/prisma.ts";

/** A model of Prisma's client. */
interface Model {
  create(query: { data: object }): Promise<object>;
  findMany(): Promise<object[]>;
  findUnique(query: { where: { id: string } }): Promise<{ data: string; form_id: string } | null>;
  deleteMany(): Promise<unknown>;
}

const undo = new Error("undo");
const form = { name: "A", spam: { protection: false } };
const pascal = (name: string): string => name.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());

/** A host's own database, whose tables Drizzle's `migrate()` has made. */
interface Migrated {
  store(): StorageDriver;
  /** Rows as Drizzle reads them, by the printed schema. */
  select(collection: string, tx?: unknown): Promise<object[]>;
  empty(collection: string): Promise<unknown>;
  /** Commits when `work` resolves, and rolls back when it rejects. */
  transaction(work: (tx: Transaction) => Promise<void>): Promise<unknown>;
  close(): Promise<unknown>;
}

/** The members used of a `db` of Drizzle, whose types differ from database to database. */
interface Db {
  select(): { from(table: unknown): PromiseLike<object[]> };
}

function migratedBy(name: string, open: () => Promise<Migrated>): void {
  describe(`the printed schema of Drizzle, migrated by Drizzle on ${name}`, () => {
    let made: Migrated;
    beforeAll(async () => {
      made = await open();
    }, 120_000);
    afterAll(() => made.close());

    it("finds a submission in its transaction, and afterwards if that was committed", async () => {
      const backend = createTestBackend({ storage: made.store() });
      const { id: form_id } = await backend.forms.create(form);
      const ids: string[] = [];
      const submitting = (end?: Error) => async (tx: Transaction) => {
        const { id } = await backend.submit(form_id, { fields: { n: "1" } }, { tx });
        ids.push(id);
        expect(await made.select("submissions", tx)).toContainEqual(expect.objectContaining({ id, form_id }));
        if (end) throw end;
      };
      await made.transaction(submitting());
      await expect(made.transaction(submitting(undo))).rejects.toBe(undo);
      expect(await made.select("submissions")).toEqual([expect.objectContaining({ id: ids[0], form_id })]);
      expect((await backend.submissions.count(form_id)).count).toBe(1);
      await backend.close();
    });

    for (const c of storageSuite) {
      it(c.name, async () => {
        for (const collection of Object.keys(collections)) await made.empty(collection);
        await c.run(() => made.store());
      }, 120_000);
    }
  });
}

const projectOf = (database: "sqlite" | "mariadb", place: string) => {
  const printed = { tool: "drizzle", database, place } as const;
  return drizzleProject(database === "sqlite" ? "sqlite" : "mysql", printedSchema(printed), printedRest(printed));
};

migratedBy("better-sqlite3", async () => {
  const { migrationsFolder, exported } = await projectOf("sqlite", "zz_");
  const database = new BetterSqlite3(":memory:");
  const db = drizzleSqlite({ client: database });
  migrateSqlite(db, { migrationsFolder });
  return {
    store: () => sqliteStorage({ database, prefix: "zz_", migrate: false }),
    select: async (collection) => (db as unknown as Db).select().from(exported[`formBackend${pascal(collection)}`]),
    empty: async (collection) => db.run(sql.raw(`DELETE FROM zz_${collection}`)),
    async transaction(work) {
      db.run(sql`BEGIN IMMEDIATE`);
      try {
        await work(db);
        db.run(sql`COMMIT`);
      } catch (error) {
        db.run(sql`ROLLBACK`);
        throw error;
      }
    },
    close: async () => database.close(),
  };
});

/** A value that a column holds, at its longest. */
function sample({ name, kind }: Column): unknown {
  if (name === "mark") return crypto.randomUUID();
  if (kind === "data") return JSON.stringify({ text: "É😀 '\\" });
  if (kind === "time" || kind === "stamp") return "2026-01-01T00:00:00.000Z";
  if (kind === "boolean") return true;
  if (kind === "integer") return 2n ** 53n;
  return kind === "small" ? 7 : "😀".repeat({ id: 320, text: 320, short: 32 }[kind]);
}

const stored = (value: unknown): unknown =>
  typeof value === "bigint" || typeof value === "boolean" ? Number(value) : value;

withMysql((pool) => {
  const prefix = freshPrefix();
  migratedBy("mysql2", async () => {
    const { migrationsFolder, exported } = await projectOf("mariadb", prefix);
    const client = createPool({ uri: MYSQL_URL, connectionLimit: 4 });
    const db = drizzleMysql({ client });
    await migrateMysql(db, { migrationsFolder, migrationsTable: `${prefix}drizzle` });
    return {
      store: () => mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS, migrate: false }),
      select: async (collection, tx = db) => (tx as Db).select().from(exported[`formBackend${pascal(collection)}`]),
      empty: (collection) => db.execute(sql.raw(`DELETE FROM ${prefix}${collection}`)),
      transaction: (work) => db.transaction((tx) => work(tx)),
      close: () => client.end(),
    };
  });

  describe("the printed models of Prisma", () => {
    const prefix = freshPrefix();
    let client: PrismaClient & Record<string, Model>;
    let backend: TestBackend;
    const described = [...describedTables("mariadb"), listTable("mariadb")];
    const model = (of: object, collection: string): Model =>
      (of as Record<string, Model>)[`formBackend${pascal(collection)}`] as Model;
    beforeAll(async () => {
      const printed = { tool: "prisma", database: "mariadb", place: prefix } as const;
      const models = printedSchema(printed);
      for (const statement of [...prismaMysqlStatements(models), ...printedRest(printed).split(/;\n/)]) {
        if (statement.trim()) await pool.query(statement);
      }
      client = (await prismaClient("mysql", prismaMariaDb(MYSQL_URL), models)) as typeof client;
      backend = createTestBackend({
        storage: mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS, migrate: false }),
      });
    }, 120_000);
    afterAll(async () => {
      await backend.close();
      await client.$disconnect();
    });

    it.each(described)("write and read each column of $collection", async ({ collection, columns }) => {
      const of = columns.filter(({ isLane }) => !isLane);
      const data = Object.fromEntries(of.map((column) => [column.name, sample(column)]));
      if (collection === "migrations") data["id"] = 1_000;
      const made = await model(client, collection).create({ data });
      expect(made).toMatchObject(data);
      const names = of.map(({ name }) => `\`${name}\``).join(", ");
      const [rows] = await pool.query(`SELECT ${names} FROM ${prefix}${collection} WHERE id = ?`, [data["id"]]);
      const values = Object.entries(data).map(([name, value]) => [name, stored(value)]);
      expect(rows).toEqual([Object.fromEntries(values)]);
      await pool.query(`DELETE FROM ${prefix}${collection} WHERE id = ?`, [data["id"]]);
    });

    it("find a submission in its transaction, and afterwards if that was committed", async () => {
      const { id: formId } = await backend.forms.create(form);
      const find = (of: object, id: string) => model(of, "submissions").findUnique({ where: { id } });
      const submitting = async (tx: PrismaClient): Promise<string> => {
        const { id } = await backend.submit(formId, { fields: { n: "1" } }, { tx: tx as unknown as Transaction });
        const row = await find(tx, id);
        expect(row).toMatchObject({ form_id: formId });
        expect(JSON.parse(row!.data)).toMatchObject({ fields: [{ value: "1" }] });
        return id;
      };
      const kept = await client.$transaction(submitting);
      let undone = "";
      const rolledBack = client.$transaction(async (tx) => {
        undone = await submitting(tx);
        throw undo;
      });
      await expect(rolledBack).rejects.toBe(undo);
      expect([await find(client, kept), await find(client, undone)]).toEqual([
        expect.objectContaining({ id: kept }),
        null,
      ]);
      expect((await backend.submissions.count(formId)).count).toBe(1);
    });
  });
});
