import { randomBytes } from "node:crypto";
import { createPool, type Pool } from "mysql2/promise";
import { afterAll, describe } from "vitest";
import { notRun } from "./not-run.ts";

/** The MariaDB or MySQL that is there for all tests: use a prefix of one's own. */
export const MYSQL_URL = process.env["MYSQL_URL"] ?? "mysql://root@127.0.0.1:3306/test";

export const mysqlPool = (connectionLimit = 10): Pool => createPool({ uri: MYSQL_URL, connectionLimit });

const present = await isThere();

async function isThere(): Promise<boolean> {
  const pool = createPool({ uri: MYSQL_URL, connectTimeout: 10_000 });
  const answered = await pool.query("select 1").then(
    () => true,
    () => false,
  );
  await pool.end();
  return answered;
}

/** A database of the test's own, with a pool. */
export async function temporaryMysql(charset = "utf8mb4"): Promise<{ url: string; pool: Pool; drop(): Promise<void> }> {
  const name = `form_backend_test_${randomBytes(6).toString("hex")}`;
  const pool = mysqlPool(2);
  await pool.query(`CREATE DATABASE ${name} CHARACTER SET ${charset}`);
  const url = Object.assign(new URL(MYSQL_URL), { pathname: `/${name}` }).href;
  return {
    url,
    pool,
    async drop() {
      await pool.query(`DROP DATABASE ${name}`);
      await pool.end();
    },
  };
}

const prefixes: string[] = [];

/** A prefix of tables that nobody else uses, dropped when the test file is done. */
export function freshPrefix(): string {
  const prefix = `t${process.pid.toString(36)}${Date.now().toString(36)}${prefixes.length}_`;
  prefixes.push(prefix);
  return prefix;
}

/** Tests against MariaDB or MySQL. */
export function describeMysql(name: string, body: () => void): void {
  if (present) describe(name, body);
  else notRun(`${name}: no MariaDB answers at ${MYSQL_URL} (MYSQL_URL may name another one)`);
}

/** Tests against MariaDB or MySQL over a pool that is theirs. */
export function withMysql(declare: (pool: Pool) => void): void {
  describeMysql("in MariaDB", () => {
    const pool = mysqlPool();
    afterAll(async () => {
      for (const prefix of prefixes) {
        const [rows] = await pool.query(
          "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND LEFT(table_name, ?) = ?",
          [prefix.length, prefix],
        );
        const names = (rows as { name: string }[]).map(({ name }) => name);
        if (names.length > 0) await pool.query("DROP TABLE ??", [names]);
      }
      await pool.end();
    }, 300_000);
    declare(pool);
  });
}
