// Rivals that keep what ours promises, or what people write instead: one row, two jobs and three counters for each post. RIVAL says
// by what: `hand`, `pg-boss` (two sends in the same transaction), or `bullmq` (an INSERT, then addBulk: two writes).
import express from "express";
import mysql from "mysql2/promise";
import pg from "pg";
import { mysqlUri, postgres, redisUrl } from "../services.mjs";
import { listen, report } from "./report.mjs";

const { RIVAL, ENGINE, DATABASE, PG_BOSS } = process.env;
const jobsOf = (id) => [
  { name: "webhook", data: { submission: id, target: "webhook" } },
  { name: "email", data: { submission: id, target: "owner@example.com" } },
];
const counters = ["form", "team", "month"];

const { store, stored, stop } = await { sqlite: onSqlite, postgres: onPostgres, mariadb: onMariadb }[ENGINE]();
const app = express().post("/f/:form", express.urlencoded({ extended: false }), async (req, res) => {
  await store(req.params.form, JSON.stringify(req.body));
  res.json({ code: 200, status: "success" });
});
report({ url: `${await listen(app)}/f/contact` }, { stored, stop });

async function onSqlite() {
  const { DatabaseSync } = process.getBuiltinModule?.("node:sqlite") ?? (await import("@photostructure/sqlite"));
  const db = new DatabaseSync(DATABASE);
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
  db.exec("CREATE TABLE submissions (id INTEGER PRIMARY KEY, form TEXT, created_at TEXT, data TEXT)");
  db.exec("CREATE INDEX by_form ON submissions (form, created_at)");
  db.exec("CREATE TABLE jobs (id INTEGER PRIMARY KEY, name TEXT, due_at TEXT, data TEXT)");
  db.exec("CREATE INDEX due ON jobs (name, due_at)");
  db.exec("CREATE TABLE counters (id TEXT PRIMARY KEY, n INTEGER)");
  const row = db.prepare("INSERT INTO submissions (form, created_at, data) VALUES (?, ?, ?) RETURNING id");
  const job = db.prepare("INSERT INTO jobs (name, due_at, data) VALUES (?, ?, ?)");
  const add = db.prepare("INSERT INTO counters VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET n = n + 1");
  return {
    store(form, data) {
      const at = new Date().toISOString();
      db.exec("BEGIN IMMEDIATE");
      const { id } = row.get(form, at, data);
      for (const { name, data: about } of jobsOf(id)) job.run(name, at, JSON.stringify(about));
      for (const counter of counters) add.run(counter);
      db.exec("COMMIT");
    },
    stored: () => Number(db.prepare("SELECT count(*) AS n FROM submissions").get().n),
  };
}

async function onMariadb() {
  const pool = mysql.createPool({ uri: mysqlUri, connectionLimit: 16 });
  const name = (table) => `${DATABASE}${table}`;
  await pool.query(
    `CREATE TABLE ${name("submissions")} (id BIGINT AUTO_INCREMENT PRIMARY KEY, form VARCHAR(64), created_at CHAR(24), data LONGTEXT, INDEX by_form (form, created_at))`,
  );
  await pool.query(
    `CREATE TABLE ${name("jobs")} (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64), due_at CHAR(24), data LONGTEXT, INDEX due (name, due_at))`,
  );
  await pool.query(`CREATE TABLE ${name("counters")} (id VARCHAR(64) PRIMARY KEY, n BIGINT)`);
  const insert = `INSERT INTO ${name("submissions")} (form, created_at, data) VALUES (?, ?, ?)`;
  const addJobs = `INSERT INTO ${name("jobs")} (name, due_at, data) VALUES ?`;
  const count = `INSERT INTO ${name("counters")} VALUES ? ON DUPLICATE KEY UPDATE n = n + 1`;
  return {
    async store(form, data) {
      const at = new Date().toISOString();
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        const [{ insertId }] = await connection.query(insert, [form, at, data]);
        const jobs = jobsOf(insertId).map((job) => [job.name, at, JSON.stringify(job.data)]);
        await connection.query(addJobs, [jobs]);
        await connection.query(count, [counters.map((counter) => [counter, 1])]);
        await connection.commit();
      } finally {
        connection.release();
      }
    },
    stored: async () => Number((await pool.query(`SELECT count(*) AS n FROM ${name("submissions")}`))[0][0].n),
  };
}

async function onPostgres() {
  const pool = new pg.Pool({ ...postgres, max: 16, application_name: DATABASE });
  const name = (table) => `"${DATABASE}".${table}`;
  await pool.query(`CREATE SCHEMA "${DATABASE}"`);
  await pool.query(
    `CREATE TABLE ${name("submissions")} (id bigserial PRIMARY KEY, form text, created_at timestamptz, data jsonb)`,
  );
  await pool.query(`CREATE INDEX ON ${name("submissions")} (form, created_at)`);
  await pool.query(
    `CREATE TABLE ${name("jobs")} (id bigserial PRIMARY KEY, name text, due_at timestamptz, data jsonb)`,
  );
  await pool.query(`CREATE INDEX ON ${name("jobs")} (name, due_at)`);
  await pool.query(`CREATE TABLE ${name("counters")} (id text PRIMARY KEY, n bigint)`);
  const insert = `INSERT INTO ${name("submissions")} (form, created_at, data) VALUES ($1, now(), $2) RETURNING id`;
  const addJobs = `INSERT INTO ${name("jobs")} (name, due_at, data) SELECT j->>'name', now(), j->'data' FROM jsonb_array_elements($1) j`;
  const count = `INSERT INTO ${name("counters")} SELECT unnest($1::text[]), 1 ON CONFLICT (id) DO UPDATE SET n = counters.n + 1`;
  const stored = async () => Number((await pool.query(`SELECT count(*) AS n FROM ${name("submissions")}`)).rows[0].n);
  if (RIVAL === "bullmq") return { ...(await withBullMq(pool, insert)), stored };
  const send = RIVAL === "pg-boss" ? await bossSend() : (client, jobs) => client.query(addJobs, [JSON.stringify(jobs)]);
  return {
    async store(form, data) {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        const { rows } = await client.query(insert, [form, data]);
        await send(client, jobsOf(rows[0].id));
        await client.query(count, [counters]);
        await client.query("COMMIT");
      } finally {
        client.release();
      }
    },
    stored,
  };
}

async function bossSend() {
  const { default: PgBoss } = await import(PG_BOSS);
  const boss = new PgBoss({ ...postgres, schema: `${DATABASE}_boss`, max: 2, supervise: false, schedule: false });
  await boss.start();
  for (const { name } of jobsOf(0)) await boss.createQueue(name);
  return async (client, jobs) => {
    const db = { executeSql: (text, values) => client.query(text, values) };
    for (const { name, data } of jobs) await boss.send(name, data, { db });
  };
}

async function withBullMq(pool, insert) {
  const { Queue } = await import("bullmq");
  const { Redis } = await import("ioredis");
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue("deliveries", { connection, prefix: `{${DATABASE}}` });
  return {
    async store(form, data) {
      const { rows } = await pool.query(insert, [form, data]);
      await queue.addBulk(jobsOf(rows[0].id));
    },
    stop: () => queue.obliterate({ force: true }),
  };
}
