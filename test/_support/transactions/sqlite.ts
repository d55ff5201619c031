import { createRequire } from "node:module";
import { createClient } from "@libsql/client";
import { EntitySchema, MikroORM } from "@mikro-orm/libsql";
import { DatabaseSync } from "@photostructure/sqlite";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import { BetterSQLiteSession } from "drizzle-orm/better-sqlite3/session";
import { drizzle as drizzleLibsql } from "drizzle-orm/libsql";
import { BaseSQLiteDatabase, SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import knexOf from "knex";
import { Kysely, SqliteDialect } from "kysely";
import Libsql from "libsql";
import { DataSource } from "typeorm";
import type { Transaction } from "../../../src/drivers/storage/types.ts";
import type { Library, LibraryOf } from "./library.ts";
import { overDrizzle, overKnex, overKysely, overMikroOrm, overTypeOrmManager, overTypeOrmRunner } from "./over.ts";
import { overPrisma, prismaClient } from "./prisma.ts";

const single = "SQLite has one writer at a time";

/** A handle as all synchronous libraries have it. */
interface Handle {
  exec(sql: string): unknown;
  prepare(sql: string): unknown;
  close(): unknown;
}

/** Transactions that the host begins and ends by itself. */
function byHand(handle: Handle, tx: Transaction = handle as unknown as Transaction): Library {
  const sql = async (statement: string) => handle.exec(statement);
  return {
    single,
    async transaction(work) {
      handle.exec("BEGIN IMMEDIATE");
      try {
        await work({ tx, sql });
        handle.exec("COMMIT");
      } catch (error) {
        handle.exec("ROLLBACK");
        throw error;
      }
    },
    async nested(_, work) {
      handle.exec("SAVEPOINT own");
      try {
        await work({ tx, sql });
      } catch (error) {
        handle.exec("ROLLBACK TO own");
        throw error;
      }
    },
    close: async () => handle.close(),
  };
}

const handle: LibraryOf = {
  name: "a handle of libsql, which is that of better-sqlite3",
  open: async (path) => byHand(new Libsql(path)),
};

const drizzleByHand: LibraryOf = {
  name: "Drizzle on a synchronous handle, begun by hand",
  async open(path) {
    const client = new Libsql(path);
    // As `drizzle()` of drizzle-orm/better-sqlite3 puts them together, without loading that package.
    const dialect = new SQLiteSyncDialect();
    const session = new BetterSQLiteSession(client as never, dialect, undefined);
    return byHand(client, new BaseSQLiteDatabase("sync", dialect, session, undefined));
  },
};

const drizzle: LibraryOf = {
  name: "Drizzle on @libsql/client",
  async open(path) {
    const client = createClient({ url: `file:${path}` });
    return { ...overDrizzle(drizzleLibsql({ client })), single, close: async () => client.close() };
  },
};

const kysely: LibraryOf = {
  name: "Kysely",
  open: async (path) => ({
    ...overKysely(new Kysely({ dialect: new SqliteDialect({ database: new Libsql(path) as never }) })),
    single,
  }),
};

const knex: LibraryOf = {
  name: "Knex",
  async open(path) {
    const Client = createRequire(import.meta.url)("knex/lib/dialects/better-sqlite3/index.js");
    class OnLibsql extends Client {
      _driver(): unknown {
        return Libsql;
      }
    }
    return {
      ...overKnex(knexOf({ client: OnLibsql as never, connection: { filename: path }, useNullAsDefault: true })),
      single,
    };
  },
};

const source = (database: string): Promise<DataSource> =>
  new DataSource({ type: "better-sqlite3", database, driver: Libsql }).initialize();

const typeOrmManager: LibraryOf = {
  name: "`EntityManager` of TypeORM",
  open: async (path) => ({ ...overTypeOrmManager(await source(path)), single }),
};

const typeOrmRunner: LibraryOf = {
  name: "`QueryRunner` of TypeORM",
  open: async (path) => ({ ...overTypeOrmRunner(await source(path)), single }),
};

const mikroOrm: LibraryOf = {
  name: "MikroORM",
  async open(dbName) {
    const nothing = new EntitySchema({ name: "Nothing", properties: { id: { type: "number", primary: true } } });
    return { ...overMikroOrm(await MikroORM.init({ dbName, entities: [nothing] })), single };
  },
};

const prisma: LibraryOf = {
  name: "Prisma on libsql",
  open: async (path) => ({
    ...overPrisma(await prismaClient("sqlite", new PrismaLibSql({ url: `file:${path}` }))),
    single,
  }),
};

/** Libraries over the copy of SQLite that the package libsql has. */
export const libsqlLibraries: readonly LibraryOf[] = [
  handle,
  drizzleByHand,
  drizzle,
  kysely,
  knex,
  typeOrmManager,
  typeOrmRunner,
  mikroOrm,
  prisma,
];

/** Libraries over the copy of SQLite that `sqliteStorage({ path })` uses. */
export const pathLibraries: readonly LibraryOf[] = [
  { name: "a `DatabaseSync`", open: async (path) => byHand(new DatabaseSync(path)) },
];
