import type { FrozenTable } from "../_sql/frozen.ts";
import { type AddedIndex, addedIndexes } from "../_sql/indexes.ts";
import { type Migration, pending } from "../_sql/migrations.ts";
import type { Ask, Connections } from "../_sql/pool.ts";
import { quote } from "../_sql/sql.ts";
import { changesOf, tables } from "../_sql/tables.ts";
import { createFunctions } from "./functions.ts";
import { inIndex, qualified, sqlTypes } from "./table.ts";

export const DEFAULT_SCHEMA = "form_backend";
const MIGRATE_MS = 60_000;

/** Never change a migration of a released version: add the next number. */
export const migrations: readonly Migration[] = [
  { id: 1, name: "collections", breaking: true, sql: (schema) => createTables(schema, tables[1] ?? [], 1) },
  { id: 2, name: "consent", breaking: true, sql: (schema) => createTables(schema, tables[2] ?? [], 2) },
  { id: 3, name: "audit", breaking: false, sql: (schema) => createTables(schema, tables[3] ?? [], 3) },
  { id: 4, name: "jobs by status", breaking: false, sql: (schema) => addIndexes(schema, addedIndexes[4] ?? []) },
  // Code before consent would take a post without it, so from here on such code no longer starts.
  {
    id: 5,
    name: "consent needed",
    breaking: false,
    sql: (schema) => [`UPDATE ${qualified(schema, "migrations")} SET breaking = true WHERE id = 2`],
  },
  {
    id: 6,
    name: "jobs by form and status",
    breaking: false,
    sql: (schema) => addIndexes(schema, addedIndexes[6] ?? []),
  },
  // Code before this one leaves the new column of a row as it is.
  { id: 7, name: "work on submissions", breaking: false, sql: (schema) => changeTables(schema, 7) },
  { id: 8, name: "conversations", breaking: false, sql: (schema) => createTables(schema, tables[8] ?? [], 8) },
  { id: 20, name: "counters of one row", breaking: false, sql: (schema) => changeTables(schema, 20) },
  {
    id: 21,
    name: "reports and deleted forms",
    breaking: false,
    sql: (schema) => createTables(schema, tables[21] ?? [], 21),
  },
  // Code before this one leaves the new column of a row as it is.
  { id: 22, name: "senders of submissions", breaking: false, sql: (schema) => changeTables(schema, 22) },
];

/** The checked name. Throws a `TypeError` that lists the allowed characters. */
export function checkedSchema(schema: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema) || /^pg_/i.test(schema)) {
    throw new TypeError(
      `[form-backend] postgres: schema "${schema}" must be up to 63 letters, digits and _, not begin with a digit and not with pg_`,
    );
  }
  return schema;
}

/**
 * The SQL that `postgresStorage` would run in an empty database, for running it by hand, for example as the owner if the user
 * may not create tables. `after` leaves out the migrations up to that number. Throws a `TypeError` for a name that can't be a
 * schema's.
 *
 * @example
 * console.log(postgresMigrations({ schema: "forms" }));
 */
export function postgresMigrations(options: { readonly schema?: string; readonly after?: number } = {}): string {
  const schema = checkedSchema(options.schema ?? DEFAULT_SCHEMA);
  const wanted = migrations.filter(({ id }) => id > (options.after ?? 0));
  const steps = wanted.map((migration) => [
    `-- ${migration.id}: ${migration.name}${migration.breaking ? " (older versions of form-backend stop working)" : ""}`,
    ...stepsOf(schema, migration).map((sql) => `${sql};`),
  ]);
  return [
    "BEGIN;",
    `${lockSql(schema)};`,
    ...prelude(schema).map((sql) => `${sql};`),
    ...steps.flat(),
    "COMMIT;",
    "",
  ].join("\n");
}

/**
 * Brings the tables up to date; safe from many processes at once, and needs no rights to create anything where they are. Throws
 * when a newer version has changed the database in a way that this code does not understand.
 */
export async function migrate(
  connections: Connections,
  schema: string,
  known: readonly Migration[] = migrations,
): Promise<void> {
  const ask: Ask = (sql, params = []) => connections.ask(sql, params, { again: true });
  if ((await missing(ask, schema, known)).length === 0) return;
  await connections.transaction(
    ["BEGIN"],
    async (inside) => {
      // Kept only until the end of the transaction, so a pooler in between does no harm.
      await inside(lockSql(schema));
      const [there] = await inside(
        "SELECT to_regnamespace($1) IS NOT NULL AS schema, to_regclass($2) IS NOT NULL AS list",
        [quote(schema), qualified(schema, "migrations")],
      );
      const [createSchema, createList] = prelude(schema) as [string, string];
      if (!there?.schema) await inside(createSchema);
      if (!there?.list) await inside(createList);
      // Read again: another process may have been faster to the lock.
      for (const migration of await missing(inside, schema, known)) {
        for (const sql of stepsOf(schema, migration)) await inside(sql);
      }
    },
    MIGRATE_MS,
  );
}

/** The migrations that a database lacks. */
export async function missing(
  ask: Ask,
  schema: string,
  known: readonly Migration[] = migrations,
): Promise<Migration[]> {
  const table = qualified(schema, "migrations");
  const [there] = await ask("SELECT to_regclass($1) IS NOT NULL AS list", [table]);
  const applied = there?.list ? await ask(`SELECT id, name, breaking FROM ${table}`) : [];
  return pending(
    "postgres",
    applied.map(({ id, name, breaking }) => ({ id: Number(id), name: String(name), breaking: breaking === true })),
    known,
  );
}

const lockSql = (schema: string): string =>
  `SELECT pg_advisory_xact_lock(hashtextextended('form-backend ${schema}', 0))`;

const prelude = (schema: string): string[] => [
  `CREATE SCHEMA IF NOT EXISTS ${quote(schema)}`,
  `CREATE TABLE IF NOT EXISTS ${qualified(schema, "migrations")} (id integer PRIMARY KEY, name text NOT NULL, breaking boolean NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
];

const stepsOf = (schema: string, { id, name, breaking, sql }: Migration): string[] => [
  ...sql(schema),
  `INSERT INTO ${qualified(schema, "migrations")} (id, name, breaking) VALUES (${id}, '${name}', ${breaking})`,
];

/** Adds what the migration's tables have and the same ones before it had not, and the functions that write them. */
function changeTables(schema: string, migration: number): string[] {
  const { created, columns, indexes } = changesOf(migration);
  const altered = (tables[migration] ?? []).filter((table) => !created.includes(table));
  return [
    ...columns.map(
      ({ collection, name, type }) =>
        `ALTER TABLE ${qualified(schema, collection)} ADD COLUMN IF NOT EXISTS ${name} ${sqlTypes[type]}`,
    ),
    ...addIndexes(schema, indexes),
    ...createFunctions(schema, altered, migration),
    ...createTables(schema, created, migration),
  ];
}

function createTables(schema: string, frozen: readonly FrozenTable[], migration: number): string[] {
  const statements: string[] = [];
  for (const { collection, columns: typed, indexes } of frozen) {
    const table = qualified(schema, collection);
    if (collection === "counters") {
      // A counter is the sum of its slots, so that commits at the same time need not wait for each other.
      statements.push(
        `CREATE TABLE ${table} (id ${sqlTypes.text} NOT NULL, slot integer NOT NULL, n bigint NOT NULL, at ${sqlTypes.time} NOT NULL, PRIMARY KEY (id, slot)) WITH (fillfactor = 50)`,
      );
      continue;
    }
    const columns = Object.entries(typed).map(([column, type]) => `${column} ${sqlTypes[type]}`);
    // json and not jsonb: it keeps the order of members and every number as they came.
    const all = [`id ${sqlTypes.text} PRIMARY KEY`, "version integer NOT NULL", ...columns, "data json NOT NULL"];
    statements.push(`CREATE TABLE ${table} (${all.join(", ")})`);
    for (const index of indexes) statements.push(indexSql(schema, { collection, ...index }));
  }
  statements.push(...createFunctions(schema, frozen, migration));
  return statements;
}

/** The statement that makes an index. */
export const indexSql = (schema: string, { collection, name, keys, sort }: AddedIndex, how = "CREATE INDEX"): string =>
  `${how} ${quote(`${collection}_${name}`)} ON ${qualified(schema, collection)} (${keys.join(", ")}) WHERE ${inIndex(collection, name, sort)}`;

/** For tables with rows: an operator may have made the index before, without blocking writes (`CONCURRENTLY`). */
const addIndexes = (schema: string, added: readonly AddedIndex[]): string[] =>
  added.map((index) => indexSql(schema, index, "CREATE INDEX IF NOT EXISTS"));
