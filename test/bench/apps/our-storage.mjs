// Our storage on the engine that a round asks for: the same pool, or the same kind of file, as the rivals have.
import pg from "pg";
import { postgres } from "../services.mjs";

/** `DATABASE` is a file for SQLite and a schema for Postgres. */
export async function ourStorage({ ENGINE, DATABASE }) {
  if (ENGINE === "sqlite") {
    const { sqliteStorage } = await import("form-backend/drivers/storage/sqlite");
    return sqliteStorage({ path: DATABASE });
  }
  const { postgresStorage } = await import("form-backend/drivers/storage/postgres");
  const pool = new pg.Pool({ ...postgres, max: 16, application_name: DATABASE });
  return postgresStorage({ pool, schema: DATABASE });
}
