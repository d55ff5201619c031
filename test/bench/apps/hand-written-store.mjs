// The rivals' store: one table with the index that its list needs, and one INSERT per post, on the engine that ours takes.
import mysql from "mysql2/promise";
import pg from "pg";
import { mysqlUri, postgres } from "../services.mjs";

/** `insert` answers a promise on Postgres and MariaDB and nothing on SQLite, as their libraries do. */
export async function openStore({ ENGINE, DATABASE }) {
  if (ENGINE === "sqlite") {
    const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? (await import("@photostructure/sqlite"));
    const db = new DatabaseSync(DATABASE);
    db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
    db.exec("CREATE TABLE submissions (id INTEGER PRIMARY KEY, form TEXT, created_at TEXT, data TEXT)");
    db.exec("CREATE INDEX by_form ON submissions (form, created_at)");
    const insert = db.prepare("INSERT INTO submissions (form, created_at, data) VALUES (?, ?, ?)");
    return {
      insert: (form, fields) => void insert.run(form, new Date().toISOString(), JSON.stringify(fields)),
      stored: () => Number(db.prepare("SELECT count(*) AS n FROM submissions").get().n),
    };
  }
  if (ENGINE === "mariadb") {
    const pool = mysql.createPool({ uri: mysqlUri, connectionLimit: 16 });
    const table = `${DATABASE}submissions`;
    await pool.query(
      `CREATE TABLE ${table} (id BIGINT AUTO_INCREMENT PRIMARY KEY, form VARCHAR(64), created_at CHAR(24), data LONGTEXT, INDEX by_form (form, created_at))`,
    );
    const sql = `INSERT INTO ${table} (form, created_at, data) VALUES (?, ?, ?)`;
    return {
      insert: (form, fields) => pool.query(sql, [form, new Date().toISOString(), JSON.stringify(fields)]),
      stored: async () => Number((await pool.query(`SELECT count(*) AS n FROM ${table}`))[0][0].n),
    };
  }
  const pool = new pg.Pool({ ...postgres, max: 16, application_name: DATABASE });
  const table = `"${DATABASE}".submissions`;
  await pool.query(`CREATE SCHEMA "${DATABASE}"`);
  await pool.query(`CREATE TABLE ${table} (id bigserial PRIMARY KEY, form text, created_at timestamptz, data jsonb)`);
  await pool.query(`CREATE INDEX by_form ON ${table} (form, created_at)`);
  const sql = `INSERT INTO ${table} (form, created_at, data) VALUES ($1, $2, $3)`;
  return {
    insert: (form, fields) => pool.query(sql, [form, new Date().toISOString(), JSON.stringify(fields)]),
    stored: async () => Number((await pool.query(`SELECT count(*) AS n FROM ${table}`)).rows[0].n),
  };
}
