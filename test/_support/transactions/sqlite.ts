import { createRequire } from "node:module";
import { createClient } from "@libsql/client";
import { EntitySchema, MikroORM } from "@mikro-orm/libsql";
import { DatabaseSync } from "@photostructure/sqlite";
import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3";
import { PrismaLibSql } from "@prisma/adapter-libsql";
import BetterSqlite3 from "better-sqlite3";
import { drizzle as drizzleBetterSqlite3 } from "drizzle-orm/better-sqlite3";
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

/** A file is given by its path, and a server by its address. */
const urlOf = (place: string): string => (/^https?:/.test(place) ? place : `file:${place}`);

const libsqlClient: LibraryOf = {
  name: "@libsql/client",
  async open(place) {
    const client = createClient({ url: urlOf(place) });
    return {
      single,
      async transaction(work) {
        const tx = await client.transaction("write");
        try {
          await work({ tx, sql: (statement) => tx.execute(statement) });
          await tx.commit();
        } catch (error) {
          await tx.rollback();
          throw error;
        } finally {
          tx.close();
        }
      },
      async nested(outer, work) {
        await outer.sql("SAVEPOINT own");
        try {
          await work(outer);
        } catch (error) {
          await outer.sql("ROLLBACK TO own");
          throw error;
        }
      },
      close: async () => client.close(),
    };
  },
};

const drizzle: LibraryOf = {
  name: "Drizzle on @libsql/client",
  async open(place) {
    const client = createClient({ url: urlOf(place) });
    return { ...overDrizzle(drizzleLibsql({ client })), single, close: async () => client.close() };
  },
};

/** A package whose handles are those of better-sqlite3. */
type Package = typeof Libsql | typeof BetterSqlite3;

/** Libraries over the handles of a package. Drizzle is given by what makes its `db` of a handle. */
function overHandles(Database: Package, drizzleOf: (client: never) => Transaction): readonly LibraryOf[] {
  const opened = (path: string): Handle => new Database(path);
  const source = (database: string): Promise<DataSource> =>
    new DataSource({ type: "better-sqlite3", database, driver: Database }).initialize();
  const Client = createRequire(import.meta.url)("knex/lib/dialects/better-sqlite3/index.js");
  class OnPackage extends Client {
    _driver(): unknown {
      return Database;
    }
  }
  return [
    { name: "a handle", open: async (path) => byHand(opened(path)) },
    {
      name: "Drizzle on a handle, begun by hand",
      async open(path) {
        const client = opened(path);
        return byHand(client, drizzleOf(client as never));
      },
    },
    {
      name: "Kysely",
      open: async (path) => ({
        ...overKysely(new Kysely({ dialect: new SqliteDialect({ database: opened(path) as never }) })),
        single,
      }),
    },
    {
      name: "Knex",
      open: async (path) => ({
        ...overKnex(knexOf({ client: OnPackage as never, connection: { filename: path }, useNullAsDefault: true })),
        single,
      }),
    },
    {
      name: "`EntityManager` of TypeORM",
      open: async (path) => ({ ...overTypeOrmManager(await source(path)), single }),
    },
    {
      name: "`QueryRunner` of TypeORM",
      open: async (path) => ({ ...overTypeOrmRunner(await source(path)), single }),
    },
  ];
}

/** Puts together what `drizzle()` of drizzle-orm/better-sqlite3 does, without loading that package. */
function drizzleOnLibsql(client: never): Transaction {
  const dialect = new SQLiteSyncDialect();
  return new BaseSQLiteDatabase("sync", dialect, new BetterSQLiteSession(client, dialect, undefined), undefined);
}

const mikroOrm: LibraryOf = {
  name: "MikroORM",
  async open(dbName) {
    const nothing = new EntitySchema({ name: "Nothing", properties: { id: { type: "number", primary: true } } });
    return { ...overMikroOrm(await MikroORM.init({ dbName, entities: [nothing] })), single };
  },
};

const prisma: LibraryOf = {
  name: "Prisma",
  open: async (place) => ({
    ...overPrisma(await prismaClient("sqlite", new PrismaLibSql({ url: urlOf(place) }))),
    single,
  }),
};

const prismaOnBetterSqlite3: LibraryOf = {
  name: "Prisma",
  open: async (path) => ({
    ...overPrisma(await prismaClient("sqlite", new PrismaBetterSqlite3({ url: `file:${path}` }))),
    single,
  }),
};

/** Libraries over the copy of SQLite that the package libsql has. */
export const libsqlLibraries: readonly LibraryOf[] = [
  ...overHandles(Libsql, drizzleOnLibsql),
  libsqlClient,
  drizzle,
  mikroOrm,
  prisma,
];

/** Libraries over a server of libSQL. */
export const remoteLibraries: readonly LibraryOf[] = [libsqlClient, drizzle, prisma];

/** Libraries over the copy of SQLite that the package better-sqlite3 has. */
export const betterSqlite3Libraries: readonly LibraryOf[] = [
  ...overHandles(BetterSqlite3, (client) => drizzleBetterSqlite3({ client })),
  prismaOnBetterSqlite3,
];

/** Libraries over the copy of SQLite that `sqliteStorage({ path })` uses. */
export const pathLibraries: readonly LibraryOf[] = [
  { name: "a `DatabaseSync`", open: async (path) => byHand(new DatabaseSync(path)) },
];
