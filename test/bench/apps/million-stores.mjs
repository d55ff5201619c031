// A store of each engine as its three parts of the benchmark need it: to be filled by SQL, to be measured, to be watched.
import { createReadStream } from "node:fs";
import mysql from "mysql2/promise";
import pg from "pg";
import { mariadbSql, postgresSql, sqliteSql } from "../generate.mjs";
import { watchMysql, watchPool, watchSqlite } from "../plans.mjs";
import { mysqlUri, postgres } from "../services.mjs";

export const openStores = (engine, database) =>
  ({ sqlite: onSqlite, postgres: onPostgres, mariadb: onMariadb })[engine](database);

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

async function onMariadb(name) {
  const { mysqlStorage } = await import("form-backend/drivers/storage/mysql");
  const prefix = `${name}_`;
  const pool = mysql.createPool({ uri: mysqlUri, connectionLimit: 16 });
  return {
    storage: async () => mysqlStorage({ pool, prefix }),
    // The server holds its pages itself.
    warm: async () => {},
    async generating(run) {
      const connection = await mysql.createConnection(mysqlUri);
      try {
        const sql = await mariadbSql(connection, prefix);
        const facts = await run(mysqlStorage({ pool, prefix }), sql);
        for (const table of ["submissions", "jobs"]) await connection.query(`ANALYZE TABLE ${sql.table(table)}`);
        return facts;
      } finally {
        await connection.end();
      }
    },
    watching(run) {
      const watched = watchMysql(pool);
      return run(mysqlStorage({ pool: watched.pool, prefix }), watched.plans);
    },
    close: () => pool.end(),
  };
}
