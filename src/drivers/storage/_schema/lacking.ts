import type { Migration } from "../_sql/migrations.ts";
import type { Piece, SqlRow } from "../_sql/sql.ts";
import { type Database, type Described, describedTables, type Kind, listTable } from "./tables.ts";

/** A database that a store with `migrate: false` finds. */
export interface Checked {
  /** The store's name, for messages. */
  readonly store: string;
  readonly database: Database;
  /** The schema or prefix. */
  readonly place: string;
  /** The database of MySQL. */
  readonly within?: string;
  /** The collation that texts must have. */
  readonly collation?: string;
  /** The functions of PostgreSQL. */
  readonly functions?: readonly string[];
}

/** A look at a database: asks for rows, and returns all that is missing. */
type Look = Generator<Piece, string[], readonly SqlRow[]>;

/** The tables, columns and indexes of a database of any kind. */
interface Found {
  /** Each column's type and collation, in lower case, by `table.column`. */
  readonly columns: ReadonlyMap<string, { readonly type: string; readonly collation: string }>;
  /** The columns of each index, by table. */
  readonly indexes: ReadonlyMap<string, readonly { readonly name: string; readonly keys: string }[]>;
}

const TYPES: Record<"postgres" | "mysql" | "sqlite", Partial<Record<Kind, RegExp>>> = {
  postgres: {
    id: /^text$/,
    text: /^text$/,
    short: /^text$/,
    time: /^text$/,
    integer: /^bigint$/,
    small: /^integer$/,
    boolean: /^boolean$/,
    data: /^json$/,
  },
  mysql: {
    id: /char$/,
    text: /char$/,
    short: /char$/,
    time: /char$/,
    integer: /^bigint$/,
    small: /int$/,
    boolean: /^tinyint$/,
    data: /^longtext$/,
  },
  // Types of SQLite are affinities: any column keeps what it is given, but for texts among numbers.
  sqlite: { id: /char|text/, text: /char|text/, time: /char|text/, data: /char|text/ },
};

/** Everything that a database lacks, in words that complete "lacks …". */
function* lookFor(checked: Checked): Look {
  const { database, place } = checked;
  const found = yield* read(checked);
  const kind = database === "mariadb" ? "mysql" : database;
  const prefix = database === "postgres" ? "" : place;
  const missing: string[] = [];
  for (const table of [...describedTables(database), listTable(database)]) {
    const name = `${prefix}${table.collection}`;
    if (![...found.columns.keys()].some((key) => key.startsWith(`${name}.`))) {
      missing.push(`the table ${name}`);
      continue;
    }
    const isList = table.collection === "migrations";
    for (const { name: column, kind: wanted, isLane } of table.columns) {
      const is = found.columns.get(`${name}.${column}`);
      const type = TYPES[kind][wanted];
      if (!is) missing.push(`the column ${name}.${column}`);
      else if (isList) continue;
      else if (type && !type.test(is.type))
        missing.push(`the right type of the column ${name}.${column}, now ${is.type}`);
      else if (isLane && !is.type.includes("char")) missing.push(`the column ${name}.${column}, computed`);
      else if (!collates(checked, wanted, is.collation)) {
        missing.push(`the collation ${collationOf(checked)} of the column ${name}.${column}, now ${is.collation}`);
      }
    }
    if (!isList) missing.push(...indexesMissing(checked, table, name, found));
  }
  if (database === "postgres") {
    const sql =
      "SELECT p.proname AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1";
    const there = new Set((yield { sql, params: [place] }).map(({ name }) => String(name)));
    missing.push(...(checked.functions ?? []).filter((name) => !there.has(name)).map((name) => `the function ${name}`));
  }
  return missing;
}

const collationOf = ({ database, collation }: Checked): string => (database === "postgres" ? '"C"' : String(collation));

function collates(checked: Checked, kind: Kind, is: string): boolean {
  if (!["id", "text", "short", "time"].includes(kind)) return true;
  if (checked.database === "postgres")
    return ["c", "posix", "c.utf8", "c.utf-8", "ucs_basic", "pg_c_utf8"].includes(is);
  return checked.database === "sqlite" || is === checked.collation;
}

function indexesMissing({ database }: Checked, table: Described, name: string, found: Found): string[] {
  const there = found.indexes.get(name) ?? [];
  const primary = table.primary.join(",");
  const wanted = table.indexes.filter(({ name: index, keys }) => {
    const known = database === "sqlite" ? `${name}_${index}` : index;
    // PostgreSQL chooses by columns, the others are told which index to use.
    return !there.some((each) => each.keys === keys.join(",") && (database === "postgres" || each.name === known));
  });
  return [
    ...(there.some(({ keys }) => keys === primary) ? [] : [`the primary key of ${name} (${table.primary.join(", ")})`]),
    ...wanted.map(({ name: index, keys }) => `the index ${index} of ${name} (${keys.join(", ")})`),
  ];
}

function* read({ database, place, within }: Checked): Generator<Piece, Found, readonly SqlRow[]> {
  const [columns, indexes] =
    database === "postgres" ? postgres(place) : database === "sqlite" ? sqlite(place) : mysql(within ?? "", place);
  const byColumn = new Map<string, { type: string; collation: string }>();
  for (const row of yield columns) {
    const [type, collation] = [row.type, row.collation].map((value) => String(value ?? "").toLowerCase());
    byColumn.set(`${row.t}.${row.c}`, { type: type ?? "", collation: collation ?? "" });
  }
  const byTable = new Map<string, { name: string; keys: string }[]>();
  for (const { t, name, keys } of yield indexes) {
    const list = byTable.get(String(t)) ?? [];
    list.push({ name: String(name), keys: String(keys) });
    byTable.set(String(t), list);
  }
  return { columns: byColumn, indexes: byTable };
}

const postgres = (schema: string): [Piece, Piece] => [
  {
    sql: `SELECT c.relname AS t, a.attname AS c, format_type(a.atttypid, NULL) AS type,
      CASE k.collname WHEN 'default' THEN d.datcollate ELSE k.collname END AS collation
    FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_database d ON d.datname = current_database()
    LEFT JOIN pg_collation k ON k.oid = a.attcollation WHERE n.nspname = $1`,
    params: [schema],
  },
  {
    sql: `SELECT t.relname AS t, i.relname AS name, array_to_string(ARRAY(
      SELECT a.attname FROM unnest(x.indkey::int2[]) WITH ORDINALITY k(n, nth)
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.n ORDER BY k.nth), ',') AS keys
    FROM pg_namespace n JOIN pg_class t ON t.relnamespace = n.oid JOIN pg_index x ON x.indrelid = t.oid AND x.indisvalid
    JOIN pg_class i ON i.oid = x.indexrelid WHERE n.nspname = $1`,
    params: [schema],
  },
];

const mysql = (database: string, prefix: string): [Piece, Piece] => [
  {
    sql: `SELECT table_name AS t, column_name AS c, data_type AS type, collation_name AS collation
    FROM information_schema.columns WHERE table_schema = ? AND LEFT(table_name, ?) = ?`,
    params: [database, prefix.length, prefix],
  },
  {
    sql: `SELECT table_name AS t, index_name AS name, GROUP_CONCAT(column_name ORDER BY seq_in_index) AS \`keys\`
    FROM information_schema.statistics WHERE table_schema = ? AND LEFT(table_name, ?) = ? AND sub_part IS NULL
    GROUP BY table_name, index_name`,
    params: [database, prefix.length, prefix],
  },
];

const sqlite = (prefix: string): [Piece, Piece] => {
  const ours = "m.type = 'table' AND substr(m.name, 1, ?) = ?";
  return [
    {
      sql: `SELECT m.name AS t, c.name AS c, c.type AS type FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE ${ours}`,
      params: [prefix.length, prefix],
    },
    {
      sql: `SELECT t, name, group_concat(k, ',') AS keys FROM (
      SELECT m.name AS t, i.name AS name, k.name AS k FROM sqlite_master m JOIN pragma_index_list(m.name) i
      JOIN pragma_index_info(i.name) k WHERE ${ours} ORDER BY m.name, i.name, k.seqno) AS parts GROUP BY t, name`,
      params: [prefix.length, prefix],
    },
  ];
};

/** Throws where a database lacks something. `pending` are the migrations that its list lacks. */
export async function checkOnly(
  checked: Checked,
  ask: (statement: Piece) => Promise<readonly SqlRow[]>,
  pending: () => Promise<readonly Migration[]>,
): Promise<void> {
  const look = lookFor(checked);
  let step = look.next();
  while (!step.done) step = look.next(await ask(step.value));
  refuse(checked, [...step.value, ...(hasNoList(step.value) ? [] : rowsMissing(checked, await pending()))]);
}

/** The same for a database whose calls are synchronous. */
export function checkOnlySync(
  checked: Checked,
  ask: (statement: Piece) => readonly SqlRow[],
  pending: () => readonly Migration[],
): void {
  const look = lookFor(checked);
  let step = look.next();
  while (!step.done) step = look.next(ask(step.value));
  refuse(checked, [...step.value, ...(hasNoList(step.value) ? [] : rowsMissing(checked, pending()))]);
}

const hasNoList = (missing: readonly string[]): boolean =>
  missing.some((what) => /^the table \w*migrations$/.test(what));

/** Throws where something is missing, with the commands that print it. */
function refuse({ store, database, place }: Checked, missing: readonly string[]): void {
  if (missing.length === 0) return;
  const [where, flag] =
    database === "postgres" ? [`the schema "${place}"`, "schema"] : [`the database (prefix ${place})`, "prefix"];
  const command = `npx form-backend schema --database ${database} --${flag} ${place}`;
  const shown = missing.slice(0, MOST_NAMED).join(", ");
  const more = missing.length > MOST_NAMED ? `, and ${missing.length - MOST_NAMED} more` : "";
  throw new Error(
    `[form-backend] ${store}: ${where} lacks ${shown}${more}. Run what \`${command} --sql\` prints, or bring your own migrations up to date with \`--drizzle\` or \`--prisma\`, and then \`--rest\`; or leave out \`migrate: false\``,
  );
}

const MOST_NAMED = 12;

/** The rows that the list of migrations lacks, in words. */
const rowsMissing = ({ database, place }: Checked, pending: readonly Migration[]): string[] => {
  const list = `${database === "postgres" ? "" : place}migrations`;
  return pending.length === 0 ? [] : [`the rows ${pending.map(({ id }) => id).join(", ")} of ${list}`];
};
