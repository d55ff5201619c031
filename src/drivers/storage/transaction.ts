/** Any function. */
type AnyMethod = (...args: never[]) => unknown;

/**
 * A transaction of the host's, as its library gives it: a client of pg or mysql2 with a transaction open, the transaction of
 * Drizzle, Kysely, Knex, Prisma, TypeORM (`EntityManager` or `QueryRunner`), MikroORM, postgres.js or `@libsql/client`, or a
 * synchronous handle of SQLite with one open.
 */
export type Transaction =
  | {
      /** A client of pg, mysql2 or mariadb, and TypeORM's. */
      readonly query: AnyMethod;
    }
  | {
      /** Drizzle's. */
      readonly select: AnyMethod;
      /** Drizzle's, for a savepoint. */
      readonly transaction: AnyMethod;
    }
  | {
      /** Kysely's. */
      readonly executeQuery: AnyMethod;
      /** Kysely's; false for `Kysely` itself. */
      readonly isTransaction: true;
    }
  | {
      /** Knex's. */
      readonly raw: AnyMethod;
      /** Knex's; `knex` itself has none. */
      readonly isCompleted: AnyMethod;
    }
  | {
      /** Prisma's. */
      readonly $queryRawUnsafe: AnyMethod;
    }
  | {
      /** MikroORM's. */
      readonly getTransactionContext: AnyMethod;
    }
  | {
      /** postgres.js's. */
      readonly unsafe: AnyMethod;
      /** postgres.js's; `sql` itself has none. */
      readonly savepoint: AnyMethod;
    }
  | {
      /** Of a handle of SQLite. */
      readonly prepare: AnyMethod;
      /** Of a handle of SQLite. */
      readonly exec: AnyMethod;
    }
  | {
      /** Of a transaction of `@libsql/client`. */
      readonly execute: AnyMethod;
      /** Of a transaction of `@libsql/client`; a client has none. */
      readonly rollback: AnyMethod;
    };
