// A store of each engine as its three parts of the benchmark need it: to be filled by SQL, to be measured, to be watched.
import { createReadStream } from "node:fs";
import pg from "pg";
import { postgresSql, sqliteSql } from "../generate.mjs";
import { watchPool, watchSqlite } from "../plans.mjs";
import { postgres } from "../services.mjs";

export const openStores = (engine, database) => (engine === "sqlite" ? onSqlite(database) : onPostgres(database));

async function onSqlite(path) {
  const { sqliteStorage } = await import("form-backend/drivers/storage/sqlite");
  // The copy of SQLite that the driver takes: locks do not hold between two copies in one process.
  const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? (await import("@photostructure/sqlite"));
  const opened = async (run) => {
    const database = new DatabaseSync(path);
    try {
      return await run(database);
    } finally {
      database.close();
    }
  };
  return {
    storage: async () => sqliteStorage({ path }),
    /** Has the system hold the file: a page's first way from the disk is the disk's time, not the query's. */
    async warm() {
      for await (const _ of createReadStream(path, { highWaterMark: 1024 * 1024 }));
    },
    generating: (run) =>
      opened(async (database) => {
        database.exec("PRAGMA journal_mode = WAL");
        const facts = await run(sqliteStorage({ database }), sqliteSql(database));
        database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
        return facts;
      }),
    watching: (run) =>
      opened((database) => {
        const watched = watchSqlite(database);
        return run(sqliteStorage({ database: watched.database }), watched.plans);
      }),
    close: async () => {},
  };
}

async function onPostgres(schema) {
  const { postgresStorage } = await import("form-backend/drivers/storage/postgres");
  const pool = new pg.Pool({ ...postgres, max: 16, application_name: schema });
  return {
    storage: async () => postgresStorage({ pool, schema }),
    // The server holds its pages itself.
    warm: async () => {},
    async generating(run) {
      const client = await pool.connect();
      try {
        const sql = postgresSql(client, schema);
        const facts = await run(postgresStorage({ pool, schema }), sql);
        // As autovacuum does some time after so many writes.
        for (const table of ["submissions", "jobs"]) await client.query(`VACUUM (ANALYZE) ${sql.table(table)}`);
        return facts;
      } finally {
        client.release();
      }
    },
    watching(run) {
      const watched = watchPool(pool);
      return run(postgresStorage({ pool: watched.pool, schema }), watched.plans);
    },
    close: () => pool.end(),
  };
}
