// The servers that rounds need beside Node: where they are, and whether they answer. POSTGRES_URL, MYSQL_URL and REDIS_URL name others.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import mysql from "mysql2/promise";
import pg from "pg";
import { wholeChromium } from "../../scripts/chromium.mjs";

export const postgres = { connectionString: process.env.POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/test" };
export const mysqlUri = process.env.MYSQL_URL ?? "mysql://root@127.0.0.1:3306/test";
export const redisUrl = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";

/** What can't be had, each with the reason as a sentence. */
export async function reachable() {
  const missing = {};
  try {
    execFileSync("wrk", ["-v"], { stdio: "pipe" });
  } catch (error) {
    // It answers its version with status 1.
    if (error.code === "ENOENT") missing.wrk = "wrk is not installed; Debian has it as the package wrk";
  }
  try {
    const client = new pg.Client({ ...postgres, connectionTimeoutMillis: 3_000 });
    await client.connect();
    await client.end();
  } catch (error) {
    missing.postgres = `PostgreSQL can't be reached at ${new URL(postgres.connectionString).host} (${error.code ?? error.message})`;
  }
  try {
    await (await mysql.createConnection({ uri: mysqlUri, connectTimeout: 3_000 })).end();
  } catch (error) {
    missing.mariadb = `MariaDB can't be reached at ${new URL(mysqlUri).host} (${error.code ?? error.message})`;
  }
  try {
    const { Redis } = await import("ioredis");
    const redis = new Redis(redisUrl, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on("error", () => {});
    await redis.connect();
    redis.disconnect();
  } catch (error) {
    missing.redis =
      error.code === "ERR_MODULE_NOT_FOUND"
        ? "ioredis is not installed"
        : `Redis can't be reached at ${new URL(redisUrl).host} (${error.code ?? error.message})`;
  }
  if (!existsSync(wholeChromium))
    missing.chromium = `Chromium is not at ${wholeChromium}; CHROMIUM_PATH may name another one`;
  return {
    chromium: wholeChromium,
    /** Throws the reason where one of them is missing. */
    need(...names) {
      for (const name of names) if (missing[name]) throw new Error(missing[name]);
    },
    has: (name) => !missing[name],
    missing,
  };
}

/** Runs statements over a connection of their own. */
export async function onPostgres(run) {
  const client = new pg.Client(postgres);
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
}

/** Drops the tables whose names begin so. */
export async function dropMysqlTables(prefix) {
  const connection = await mysql.createConnection(mysqlUri);
  try {
    const [rows] = await connection.query(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND LEFT(table_name, ?) = ?",
      [prefix.length, prefix],
    );
    if (rows.length > 0) await connection.query("DROP TABLE ??", [rows.map(({ name }) => name)]);
  } finally {
    await connection.end();
  }
}

/** A Redis of our own that has each write on disk before it answers, on a free port; null where it can't be started. */
export async function startDurableRedis(dir) {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  const args = [
    "--port",
    port,
    "--bind",
    "127.0.0.1",
    "--dir",
    dir,
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
  ];
  const server = spawn("redis-server", args.map(String), { stdio: ["ignore", "pipe", "ignore"] });
  const failed = new Promise((resolve) => server.once("error", resolve).once("exit", resolve)).then(() => null);
  const ready = new Promise((resolve) => {
    server.stdout?.on("data", (text) => /Ready to accept/.test(text) && resolve(port));
  });
  if ((await Promise.race([ready, failed])) === null) return null;
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.kill() };
}
