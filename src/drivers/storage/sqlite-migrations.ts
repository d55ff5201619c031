import { type CollectionSpec, type ColumnType, collections } from "./schema.ts";
import { indexName, quote, tableName } from "./sql.ts";
import type { Connection } from "./sqlite-engine.ts";

export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Code that does not know this migration must not use the database. */
  readonly breaking: boolean;
  sql(prefix: string): string[];
}

/** Never change what a released version has applied: add the next number. */
export const migrations: readonly Migration[] = [
  { id: 1, name: "collections", breaking: true, sql: createCollections },
];

/**
 * Brings the tables up to date; safe from many processes at once. Throws when a newer version has changed the database in a way
 * that this code does not understand.
 */
export function migrate(connection: Connection, prefix: string, known: readonly Migration[] = migrations): void {
  const table = quote(`${prefix}migrations`);
  if (missing(connection, prefix, known).length === 0) return;
  connection.transaction(() => {
    connection.run(
      `CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY, name TEXT NOT NULL, breaking INTEGER NOT NULL, applied_at TEXT NOT NULL)`,
    );
    // Read again: another process may have been faster to the lock.
    for (const { id, name, breaking, sql } of missing(connection, prefix, known)) {
      for (const statement of sql(prefix)) connection.run(statement);
      const values = [id, name, Number(breaking), new Date().toISOString()];
      connection.run(`INSERT INTO ${table} (id, name, breaking, applied_at) VALUES (?, ?, ?, ?)`, values);
    }
  });
}

function missing(connection: Connection, prefix: string, known: readonly Migration[]): Migration[] {
  const name = `${prefix}migrations`;
  const [exists] = connection.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name]);
  const applied = exists ? connection.all(`SELECT id, name, breaking FROM ${quote(name)}`) : [];
  const foreign = applied.find(
    (row) => Number(row.breaking) && !known.some((migration) => migration.id === Number(row.id)),
  );
  if (foreign) {
    throw new Error(
      `[form-backend] sqlite: the database was written by a newer form-backend (migration ${foreign.id} "${foreign.name}"); upgrade the package`,
    );
  }
  const done = new Set(applied.map((row) => Number(row.id)));
  return known.filter((migration) => !done.has(migration.id));
}

const sqlTypes: Record<ColumnType, string> = { text: "TEXT", time: "TEXT", integer: "INTEGER", boolean: "INTEGER" };

function createCollections(prefix: string): string[] {
  const statements: string[] = [];
  for (const [collection, spec] of Object.entries<CollectionSpec>(collections)) {
    const table = tableName(prefix, collection);
    if (collection === "counters") {
      statements.push(
        `CREATE TABLE ${table} (id TEXT NOT NULL PRIMARY KEY, n INTEGER NOT NULL, at TEXT NOT NULL) WITHOUT ROWID`,
      );
      continue;
    }
    const columns = Object.entries(spec.columns).map(([column, type]) => `${column} ${sqlTypes[type]}`);
    const all = ["id TEXT NOT NULL PRIMARY KEY", "version INTEGER NOT NULL", ...columns, "data TEXT NOT NULL"];
    statements.push(`CREATE TABLE ${table} (${all.join(", ")})`);
    for (const [index, { equals, sort }] of Object.entries(spec.indexes)) {
      // The work list also answers whose each job is, so that a claim picks from the index alone.
      const covered = collection === "jobs" && index === "due" ? ["target"] : [];
      const keys = [...equals, sort, "id", ...covered].join(", ");
      statements.push(
        `CREATE INDEX ${indexName(prefix, collection, index)} ON ${table} (${keys}) WHERE ${sort} IS NOT NULL`,
      );
    }
  }
  statements.push(
    `CREATE INDEX ${indexName(prefix, "jobs", "due_target")} ON ${tableName(prefix, "jobs")} (lane, target, due_at, id) WHERE due_at IS NOT NULL`,
  );
  return statements;
}
