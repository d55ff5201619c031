import type { Connections } from "../_sql/pool.ts";
import type { SqlRow } from "../_sql/sql.ts";
import { ask, type MysqlConnectionLike } from "./pool.ts";
import { type MysqlTable, NOW, type Place, quoted } from "./table.ts";

const OFF_MS = 5_000;
const LEAST_PACKET = 4 * 1024 * 1024;

const refuse = (what: string): never => {
  throw new Error(`[form-backend] mysql: ${what}`);
};

/** The sessions of a pool have to keep what we write as it is. Throws with a remedy. */
export async function checkSession(connection: MysqlConnectionLike): Promise<void> {
  const [found] = (await ask(
    connection,
    `SELECT @@session.sql_mode AS mode, CONCAT_WS(' ', @@character_set_client, @@character_set_connection, @@character_set_results) AS charsets`,
  )) as SqlRow[];
  const mode = String(found?.mode);
  if (!/STRICT_(TRANS|ALL)_TABLES/.test(mode)) {
    refuse(
      "sql_mode is not strict, so values would be cut without an error; run: SET GLOBAL sql_mode = CONCAT(@@GLOBAL.sql_mode, ',STRICT_TRANS_TABLES')",
    );
  }
  for (const unsafe of ["NO_BACKSLASH_ESCAPES", "EMPTY_STRING_IS_NULL"]) {
    if (mode.includes(unsafe)) {
      refuse(
        `sql_mode has ${unsafe}, under which values would change; run: SET GLOBAL sql_mode = REPLACE(@@GLOBAL.sql_mode, '${unsafe}', '')`,
      );
    }
  }
  if (String(found?.charsets) !== "utf8mb4 utf8mb4 utf8mb4") {
    refuse(`the connections' character set is ${found?.charsets}; give the pool the option charset: "utf8mb4"`);
  }
}

/**
 * Reads the server's properties; returns the collation that compares byte by byte, with spaces at the end. Throws an error with a
 * remedy if the server can't keep our promise, and warns where it keeps less of it.
 */
export async function inspect(connections: Connections, wanted: string | undefined) {
  const began = Date.now();
  const [found] = await connections.ask(
    `SELECT VERSION() AS version, ${NOW} AS clock, DATABASE() AS current, @@innodb_flush_log_at_trx_commit AS flush, @@max_allowed_packet AS packet,
       @@read_only AS read_only, @@innodb_read_only AS innodb_read_only, @@log_bin AS log_bin, @@binlog_format AS binlog`,
    [],
    { again: true },
  );
  const version = String(found?.version);
  const isMaria = /mariadb/i.test(version);
  const parts = (/(\d+)\.(\d+)\.(\d+)/.exec(version.replace(/^5\.5\.5-/, "")) ?? []).slice(1).map(Number);
  if (before(parts, isMaria ? [10, 6, 0] : [8, 0, 19])) {
    refuse(`the server is ${version}; use MariaDB 10.6, MySQL 8.0.19 or newer`);
  }
  const database = wanted ?? (found?.current as string | null);
  if (!database) refuse("no database is chosen; name one in the pool, the uri or the option `database`");
  if (Number(found?.read_only) || Number(found?.innodb_read_only)) {
    refuse("the server is read-only, as a replica is; connect to the primary (SELECT @@read_only must say 0)");
  }
  if (Number(found?.packet) < LEAST_PACKET) {
    refuse(
      `max_allowed_packet is ${found?.packet} bytes, too small for a large submission; run: SET GLOBAL max_allowed_packet = 67108864`,
    );
  }
  if (Number(found?.log_bin) && found?.binlog === "STATEMENT") {
    refuse("binlog_format is STATEMENT, which refuses READ COMMITTED; run: SET GLOBAL binlog_format = 'MIXED'");
  }
  if (Number(found?.flush) !== 1) {
    warn(
      `innodb_flush_log_at_trx_commit is ${found?.flush}, so a power loss may undo submissions that were answered; run: SET GLOBAL innodb_flush_log_at_trx_commit = 1`,
    );
  }
  const ended = Date.now();
  const clock = Number(found?.clock);
  // Between the question and the answer it may have been any time.
  const off = clock < began ? clock - began : Math.max(0, clock - ended);
  if (Math.abs(off) > OFF_MS) {
    warn(
      `the server's clock is ${Math.round(Math.abs(off) / 1_000)} s ${off > 0 ? "ahead of" : "behind"} this machine's, so signatures and links may be refused; run on both: timedatectl set-ntp true`,
    );
  }
  const [schema] = await connections.ask(
    "SELECT default_character_set_name AS charset FROM information_schema.schemata WHERE schema_name = ?",
    [String(database)],
    { again: true },
  );
  if (!schema) {
    refuse(
      `the database "${database}" does not exist; run: CREATE DATABASE ${quoted(String(database))} CHARACTER SET utf8mb4`,
    );
  }
  if (schema?.charset !== "utf8mb4") {
    warn(
      `the database's character set is ${schema?.charset}; ours is utf8mb4, and joins with your own tables convert; run: ALTER DATABASE ${quoted(String(database))} CHARACTER SET utf8mb4`,
    );
  }
  return { database: String(database), collation: isMaria ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin" };
}

function before(version: readonly number[], least: readonly number[]): boolean {
  const at = least.findIndex((part, i) => version[i] !== part);
  return at >= 0 && !((version[at] ?? 0) > (least[at] ?? 0));
}

const warn = (what: string): void => process.emitWarning(`[form-backend] mysql: ${what}`);

/** Throws where tables were altered so that they can't keep our promise, or where the user may not use one as we do. */
export async function checkTables(
  connections: Connections,
  { database, prefix }: Place,
  collation: string,
  tables: readonly MysqlTable[],
): Promise<void> {
  const read = (sql: string): Promise<SqlRow[]> =>
    connections.ask(sql, [database, ...tables.map(({ collection }) => prefix + collection)], { again: true });
  const ours = `table_schema = ? AND table_name IN (${tables.map(() => "?").join(", ")})`;
  for (const { name, engine } of await read(
    `SELECT table_name AS name, engine AS engine FROM information_schema.tables WHERE ${ours}`,
  )) {
    if (engine !== "InnoDB") {
      refuse(
        `the table ${name} has no transactions (${engine}); run: ALTER TABLE ${quoted(String(name))} ENGINE = InnoDB`,
      );
    }
  }
  for (const { name, collation: has } of await read(
    `SELECT table_name AS name, collation_name AS collation FROM information_schema.columns WHERE ${ours} AND column_name = 'id'`,
  )) {
    if (has !== collation) {
      const change = `MODIFY id VARCHAR(360) CHARACTER SET utf8mb4 COLLATE ${collation} NOT NULL`;
      refuse(
        `the ids of ${name} compare by ${has}, which mixes them up; run: ALTER TABLE ${quoted(String(name))} ${change}`,
      );
    }
  }
  const names = tables.map(({ name }) => name);
  // Rights are checked although no row matches.
  await connections.ask(`SELECT 1 AS one FROM ${names.join(", ")} LIMIT 0`, []);
  await connections.ask(
    `UPDATE ${names.join(", ")} SET ${names.map((name) => `${name}.id = ${name}.id`).join(", ")} WHERE 1 = 0`,
    [],
  );
  await connections.ask(`DELETE FROM ${names.join(", ")} USING ${names.join(", ")} WHERE 1 = 0`, []);
  for (const { name, columns, collection } of tables) {
    const list = collection === "counters" ? "id, slot, n, at" : columns.join(", ");
    await connections.ask(`INSERT INTO ${name} (${list}) SELECT ${list} FROM ${name} WHERE 1 = 0`, []);
  }
}
