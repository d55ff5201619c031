import { EntitySchema } from "@mikro-orm/core";
import { MikroORM } from "@mikro-orm/mariadb";
import { PrismaMariaDb } from "@prisma/adapter-mariadb";
import { drizzle as drizzleMysql } from "drizzle-orm/mysql2";
import knexOf from "knex";
import { Kysely, MysqlDialect } from "kysely";
import mysqlCallbacks from "mysql2";
import mysql from "mysql2/promise";
import { DataSource } from "typeorm";
import type { LibraryOf } from "./library.ts";
import { overDrizzle, overKnex, overKysely, overMikroOrm, overTypeOrmManager, overTypeOrmRunner } from "./over.ts";
import { overPrisma, prismaClient } from "./prisma.ts";

const mysql2: LibraryOf = {
  name: "a connection of mysql2",
  async open(uri) {
    const pool = mysql.createPool({ uri, connectionLimit: 4 });
    return {
      async transaction(work) {
        const connection = await pool.getConnection();
        try {
          await connection.beginTransaction();
          await work({ tx: connection, sql: (statement) => connection.query(statement) });
          await connection.commit();
        } catch (error) {
          await connection.rollback();
          throw error;
        } finally {
          connection.release();
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

const drizzle: LibraryOf = {
  name: "Drizzle on mysql2",
  async open(uri) {
    const client = mysql.createPool({ uri, connectionLimit: 4 });
    return { ...overDrizzle(drizzleMysql({ client })), close: () => client.end() };
  },
};

const kysely: LibraryOf = {
  name: "Kysely",
  async open(uri) {
    const pool = mysqlCallbacks.createPool({ uri, connectionLimit: 4 });
    return overKysely(new Kysely({ dialect: new MysqlDialect({ pool }) }));
  },
};

const knex: LibraryOf = {
  name: "Knex",
  open: async (uri) => overKnex(knexOf({ client: "mysql2", connection: uri, pool: { min: 0, max: 4 } })),
};

const source = (url: string): Promise<DataSource> => new DataSource({ type: "mariadb", url }).initialize();

const typeOrmManager: LibraryOf = {
  name: "`EntityManager` of TypeORM",
  open: async (url) => overTypeOrmManager(await source(url)),
};

const typeOrmRunner: LibraryOf = {
  name: "`QueryRunner` of TypeORM",
  open: async (url) => overTypeOrmRunner(await source(url)),
};

/** The adapter that Prisma has for MariaDB and MySQL, which takes no address as a whole. */
export function prismaMariaDb(url: string): PrismaMariaDb {
  const { hostname, port, username, password, pathname } = new URL(url);
  const database = pathname.slice(1);
  return new PrismaMariaDb({
    host: hostname,
    port: Number(port),
    user: username,
    password,
    database,
    connectionLimit: 4,
  });
}

const prisma: LibraryOf = {
  name: "Prisma",
  open: async (url) => overPrisma(await prismaClient("mysql", prismaMariaDb(url))),
};

const mikroOrm: LibraryOf = {
  name: "MikroORM",
  async open(clientUrl) {
    const nothing = new EntitySchema({ name: "Nothing", properties: { id: { type: "number", primary: true } } });
    return overMikroOrm(await MikroORM.init({ clientUrl, entities: [nothing] }));
  },
};

/** Every library that has transactions on MariaDB. */
export const mysqlLibraries: readonly LibraryOf[] = [
  mysql2,
  drizzle,
  kysely,
  knex,
  typeOrmManager,
  typeOrmRunner,
  mikroOrm,
  prisma,
];
