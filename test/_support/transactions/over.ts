import { sql as drizzleSql } from "drizzle-orm";
import type { Knex } from "knex";
import { type Kysely, type Transaction as KyselyTransaction, sql as kyselySql } from "kysely";
import type { DataSource, EntityManager, QueryRunner } from "typeorm";
import type { Held, Library } from "./library.ts";

interface Runs {
  execute?(query: ReturnType<typeof drizzleSql.raw>): PromiseLike<unknown>;
  run?(query: ReturnType<typeof drizzleSql.raw>): PromiseLike<unknown>;
}

interface Drizzle<T extends Runs> {
  transaction<R>(work: (tx: T) => Promise<R>): Promise<R>;
}

/** Transactions of Drizzle, of any of its drivers that has asynchronous ones. */
export function overDrizzle<T extends Runs & Drizzle<T> & Held["tx"]>(db: Drizzle<T>): Omit<Library, "close"> {
  const held = (tx: T): Held => ({
    tx,
    async sql(statement) {
      const query = drizzleSql.raw(statement);
      return tx.execute ? tx.execute(query) : tx.run?.(query);
    },
  });
  return {
    transaction: (work) => db.transaction((tx) => work(held(tx))),
    nested: (outer, work) => (outer.tx as T).transaction((inner) => work(held(inner))),
  };
}

/** Transactions of Kysely that end with their function. */
export function overKysely(db: Kysely<unknown>): Library {
  const held = (tx: KyselyTransaction<unknown>): Held => ({
    tx,
    sql: (statement) => kyselySql.raw(statement).execute(tx),
  });
  return {
    transaction: (work) => db.transaction().execute((tx) => work(held(tx))),
    nested: "Kysely has savepoints only in transactions that are ended by hand",
    close: () => db.destroy(),
  };
}

/** Transactions of Kysely that are ended by hand. */
export function overKyselyByHand(db: Kysely<unknown>): Library {
  const held = (tx: unknown): Held => ({
    tx: tx as Held["tx"],
    sql: (statement) => kyselySql.raw(statement).execute(tx as Kysely<unknown>),
  });
  return {
    async transaction(work) {
      const tx = await db.startTransaction().execute();
      try {
        await work(held(tx));
        await tx.commit().execute();
      } catch (error) {
        await tx.rollback().execute();
        throw error;
      }
    },
    async nested(outer, work) {
      const controlled = outer.tx as unknown as { savepoint(name: "own"): { execute(): Promise<never> } };
      const inner: { rollbackToSavepoint(name: "own"): { execute(): Promise<unknown> } } = await controlled
        .savepoint("own")
        .execute();
      try {
        await work(held(inner));
      } catch (error) {
        await inner.rollbackToSavepoint("own").execute();
        throw error;
      }
    },
    close: () => db.destroy(),
  };
}

/** Transactions of Knex. */
export function overKnex(db: Knex): Library {
  const held = (tx: Knex.Transaction): Held => ({ tx, sql: async (statement) => tx.raw(statement) });
  return {
    transaction: (work) => db.transaction((tx) => work(held(tx))),
    nested: (outer, work) => (outer.tx as Knex.Transaction).transaction((inner) => work(held(inner))),
    close: () => db.destroy(),
  };
}

/** Transactions of TypeORM as an `EntityManager`. */
export function overTypeOrmManager(source: DataSource): Library {
  const held = (tx: EntityManager): Held => ({ tx, sql: (statement) => tx.query(statement) });
  return {
    transaction: (work) => source.transaction((tx) => work(held(tx))),
    nested: (outer, work) => (outer.tx as EntityManager).transaction((inner) => work(held(inner))),
    close: () => source.destroy(),
  };
}

/** Transactions of TypeORM as a `QueryRunner`. */
export function overTypeOrmRunner(source: DataSource): Library {
  async function around(runner: QueryRunner, work: (held: Held) => Promise<void>): Promise<void> {
    await runner.startTransaction();
    try {
      await work({ tx: runner, sql: (statement) => runner.query(statement) });
      await runner.commitTransaction();
    } catch (error) {
      await runner.rollbackTransaction();
      throw error;
    }
  }
  return {
    async transaction(work) {
      const runner = source.createQueryRunner();
      try {
        await around(runner, work);
      } finally {
        await runner.release();
      }
    },
    nested: (outer, work) => around(outer.tx as QueryRunner, work),
    close: () => source.destroy(),
  };
}

interface MikroManager {
  readonly getTransactionContext: () => unknown;
  execute(statement: string): Promise<unknown>;
  transactional<T>(work: (tx: never) => Promise<T>): Promise<T>;
}

/** Transactions of MikroORM. */
export function overMikroOrm(orm: { em: { fork(): object }; close(): Promise<void> }): Library {
  const held = (tx: MikroManager): Held => ({ tx, sql: (statement) => tx.execute(statement) });
  return {
    transaction: (work) => (orm.em.fork() as MikroManager).transactional((tx) => work(held(tx))),
    nested: (outer, work) => (outer.tx as unknown as MikroManager).transactional((inner) => work(held(inner))),
    close: () => orm.close(),
  };
}
