// Our storage on the engine that a round asks for: the same pool, or the same kind of file, as the rivals have.
import mysql from "mysql2/promise";
import pg from "pg";
import { mysqlUri, postgres } from "../services.mjs";

/** `DATABASE` is a file for SQLite, a schema for Postgres and a prefix for MariaDB. */
export async function ourStorage({ ENGINE, DATABASE }) {
  if (ENGINE === "sqlite") {
    const { sqliteStorage } = await import("form-backend/drivers/storage/sqlite");
    return sqliteStorage({ path: DATABASE });
  }
  if (ENGINE === "mariadb") {
    const { mysqlStorage } = await import("form-backend/drivers/storage/mysql");
    return mysqlStorage({ pool: mysql.createPool({ uri: mysqlUri, connectionLimit: 16 }), prefix: DATABASE });
  }
  const { postgresStorage } = await import("form-backend/drivers/storage/postgres");
  const pool = new pg.Pool({ ...postgres, max: 16, application_name: DATABASE });
  return postgresStorage({ pool, schema: DATABASE });
}
