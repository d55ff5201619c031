import type { ColumnType } from "../../../model/collections.ts";
import { checkOnlySync } from "../_schema/lacking.ts";
import type { FrozenTable } from "../_sql/frozen.ts";
import { type AddedIndex, addedIndexes } from "../_sql/indexes.ts";
import { type Migration, pending } from "../_sql/migrations.ts";
import { indexName, quote, type SqlRow, tableName } from "../_sql/sql.ts";
import { changesOf, tables } from "../_sql/tables.ts";
import type { Connection } from "./connection.ts";

/** Never change a migration of a released version: add the next number. */
export const migrations: readonly Migration[] = [
  { id: 1, name: "collections", breaking: true, sql: (prefix) => createTables(prefix, tables[1] ?? []) },
  { id: 2, name: "consent", breaking: true, sql: (prefix) => createTables(prefix, tables[2] ?? []) },
  { id: 3, name: "audit", breaking: false, sql: (prefix) => createTables(prefix, tables[3] ?? []) },
  { id: 4, name: "jobs by status", breaking: false, sql: (prefix) => addIndexes(prefix, addedIndexes[4] ?? []) },
  // Code before consent would take a post without it, so from here on such code no longer starts.
  {
    id: 5,
    name: "consent needed",
    breaking: false,
    sql: (prefix) => [`UPDATE ${quote(`${prefix}migrations`)} SET breaking = 1 WHERE id = 2`],
  },
  {
    id: 6,
    name: "jobs by form and status",
    breaking: false,
    sql: (prefix) => addIndexes(prefix, addedIndexes[6] ?? []),
  },
  // Code before this one leaves the new column of a row as it is.
  { id: 7, name: "work on submissions", breaking: false, sql: (prefix) => changeTables(prefix, 7) },
  { id: 8, name: "conversations", breaking: false, sql: (prefix) => createTables(prefix, tables[8] ?? []) },
  {
    id: 21,
    name: "reports and deleted forms",
    breaking: false,
    sql: (prefix) => createTables(prefix, tables[21] ?? []),
  },
  // Code before this one leaves the new column of a row as it is.
  { id: 22, name: "senders of submissions", breaking: false, sql: (prefix) => changeTables(prefix, 22) },
];

/**
 * Brings the tables up to date; safe from many processes at once. Throws when a newer version has changed the database in a way
 * that this code does not understand.
 */
export function migrate(connection: Connection, prefix: string, known: readonly Migration[] = migrations): void {
  if (missing(connection, prefix, known).length === 0) return;
  connection.transaction(() => {
    connection.run(createList(prefix));
    // Read again: another process may have been faster to the lock.
    const wanted = missing(connection, prefix, known);
    for (const statement of stepsOf(prefix, wanted, new Date().toISOString())) connection.run(statement);
  });
}

/** Throws where tables that a host's own migrations made lack something. */
export const check = (connection: Connection, prefix: string): void =>
  checkOnlySync(
    { store: "sqlite", database: "sqlite", place: prefix },
    ({ sql, params }) => connection.all(sql, params),
    () => missing(connection, prefix, migrations),
  );

function missing(connection: Connection, prefix: string, known: readonly Migration[]): Migration[] {
  const name = `${prefix}migrations`;
  const [exists] = connection.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name]);
  return lacking(exists ? connection.all(listSql(prefix)) : [], known);
}

/** The list of migrations that a database has. */
export const listSql = (prefix: string): string => `SELECT id, name, breaking FROM ${quote(`${prefix}migrations`)}`;

/** The migrations that are not in the list. Throws for a database of a newer version. */
export const lacking = (list: readonly SqlRow[], known: readonly Migration[] = migrations): Migration[] =>
  pending(
    "sqlite",
    list.map((row) => ({ id: Number(row.id), name: String(row.name), breaking: Number(row.breaking) !== 0 })),
    known,
  );

/** The statements of migrations, with those that add them to the list. */
export function stepsOf(prefix: string, wanted: readonly Migration[], at: string): string[] {
  const table = quote(`${prefix}migrations`);
  return [
    createList(prefix),
    ...wanted.flatMap(({ id, name, breaking, sql }) => [
      ...sql(prefix),
      `INSERT INTO ${table} (id, name, breaking, applied_at) VALUES (${id}, '${name}', ${Number(breaking)}, '${at}')`,
    ]),
  ];
}

const createList = (prefix: string): string =>
  `CREATE TABLE IF NOT EXISTS ${quote(`${prefix}migrations`)} (id INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at TEXT NOT NULL)`;

const sqlTypes: Record<ColumnType, string> = { text: "TEXT", time: "TEXT", integer: "INTEGER", boolean: "INTEGER" };

function createTables(prefix: string, frozen: readonly FrozenTable[]): string[] {
  const statements: string[] = [];
  for (const { collection, columns: typed, indexes } of frozen) {
    const table = tableName(prefix, collection);
    if (collection === "counters") {
      statements.push(
        `CREATE TABLE ${table} (id TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL, at TEXT NOT NULL) WITHOUT ROWID`,
      );
      continue;
    }
    const columns = Object.entries(typed).map(([column, type]) => `${column} ${sqlTypes[type]}`);
    const all = ["id TEXT NOT NULL PRIMARY KEY", "version INTEGER NOT NULL", ...columns, "data TEXT NOT NULL"];
    statements.push(`CREATE TABLE ${table} (${all.join(", ")})`);
    statements.push(
      ...addIndexes(
        prefix,
        indexes.map((index) => ({ collection, ...index })),
      ),
    );
  }
  return statements;
}

/** Adds what the migration's tables have and the same ones before it had not. */
function changeTables(prefix: string, migration: number): string[] {
  const { created, columns, indexes } = changesOf(migration);
  return [
    ...columns.map(
      ({ collection, name, type }) =>
        `ALTER TABLE ${tableName(prefix, collection)} ADD COLUMN ${name} ${sqlTypes[type]}`,
    ),
    ...addIndexes(prefix, indexes),
    ...createTables(prefix, created),
  ];
}

const addIndexes = (prefix: string, added: readonly AddedIndex[]): string[] =>
  added.map(
    ({ collection, name, keys, sort }) =>
      `CREATE INDEX ${indexName(prefix, collection, name)} ON ${tableName(prefix, collection)} (${keys.join(", ")}) WHERE ${sort} IS NOT NULL`,
  );
