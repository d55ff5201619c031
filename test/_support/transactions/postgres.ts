import { EntitySchema } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/postgresql";
import { PrismaPg } from "@prisma/adapter-pg";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { drizzle as drizzlePostgresJs } from "drizzle-orm/postgres-js";
import knexOf from "knex";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import postgres from "postgres";
import { DataSource } from "typeorm";
import type { Held, LibraryOf } from "./library.ts";
import {
  overDrizzle,
  overKnex,
  overKysely,
  overKyselyByHand,
  overMikroOrm,
  overTypeOrmManager,
  overTypeOrmRunner,
} from "./over.ts";
import { overPrisma, prismaClient } from "./prisma.ts";

function poolOf(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on("error", () => {});
  return pool;
}

const pgClient: LibraryOf = {
  name: "a client of pg",
  async open(url) {
    const pool = poolOf(url);
    return {
      async transaction(work) {
        const client = await pool.connect();
        try {
          await client.query("BEGIN");
          await work({ tx: client, sql: (statement) => client.query(statement) });
          await client.query("COMMIT");
        } catch (error) {
          await client.query("ROLLBACK");
          throw error;
        } finally {
          client.release();
        }
      },
      async nested(outer, work) {
        await outer.sql("SAVEPOINT own");
        try {
          await work(outer);
        } catch (error) {
          await outer.sql("ROLLBACK TO SAVEPOINT own");
          throw error;
        }
      },
      close: () => pool.end(),
    };
  },
};

const drizzleOnPg: LibraryOf = {
  name: "Drizzle on pg",
  async open(url) {
    const client = poolOf(url);
    return { ...overDrizzle(drizzlePg({ client })), close: () => client.end() };
  },
};

const jsClient = (url: string): postgres.Sql => postgres(url, { max: 4, onnotice: () => {} });

const drizzleOnPostgresJs: LibraryOf = {
  name: "Drizzle on postgres.js",
  async open(url) {
    const client = jsClient(url);
    return { ...overDrizzle(drizzlePostgresJs({ client })), close: () => client.end() };
  },
};

/** Its types name no transaction that can be imported. */
interface JsTransaction {
  unsafe(statement: string): Promise<unknown>;
  savepoint<T>(work: (inner: JsTransaction) => Promise<T>): Promise<T>;
}

const postgresJs: LibraryOf = {
  name: "postgres.js",
  async open(url) {
    const client = jsClient(url);
    const held = (tx: JsTransaction): Held => ({ tx, sql: async (statement) => tx.unsafe(statement) });
    return {
      transaction: (work) => client.begin((tx) => work(held(tx))),
      nested: (outer, work) => (outer.tx as JsTransaction).savepoint((inner) => work(held(inner))),
      close: () => client.end(),
    };
  },
};

const kyselyOf = (url: string): Kysely<unknown> => new Kysely({ dialect: new PostgresDialect({ pool: poolOf(url) }) });

const kysely: LibraryOf = { name: "Kysely", open: async (url) => overKysely(kyselyOf(url)) };

const kyselyByHand: LibraryOf = {
  name: "Kysely, ended by hand",
  open: async (url) => overKyselyByHand(kyselyOf(url)),
};

const knex: LibraryOf = {
  name: "Knex",
  open: async (url) => overKnex(knexOf({ client: "pg", connection: url, pool: { min: 0, max: 4 } })),
};

const source = (url: string): Promise<DataSource> => new DataSource({ type: "postgres", url }).initialize();

const typeOrmManager: LibraryOf = {
  name: "`EntityManager` of TypeORM",
  open: async (url) => overTypeOrmManager(await source(url)),
};

const typeOrmRunner: LibraryOf = {
  name: "`QueryRunner` of TypeORM",
  open: async (url) => overTypeOrmRunner(await source(url)),
};

const mikroOrm: LibraryOf = {
  name: "MikroORM",
  async open(clientUrl) {
    const nothing = new EntitySchema({ name: "Nothing", properties: { id: { type: "number", primary: true } } });
    return overMikroOrm(await MikroORM.init({ clientUrl, entities: [nothing] }));
  },
};

const prisma: LibraryOf = {
  name: "Prisma",
  open: async (url) => overPrisma(await prismaClient("postgresql", new PrismaPg({ connectionString: url }))),
};

/** Every library that has transactions on PostgreSQL. */
export const postgresLibraries: readonly LibraryOf[] = [
  pgClient,
  drizzleOnPg,
  drizzleOnPostgresJs,
  postgresJs,
  kysely,
  kyselyByHand,
  knex,
  typeOrmManager,
  typeOrmRunner,
  mikroOrm,
  prisma,
];
