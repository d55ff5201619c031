import { randomUUID } from "node:crypto";
import type { ColumnType } from "../../../model/collections.ts";
import { checkOnly } from "../_schema/lacking.ts";
import { SHORT } from "../_schema/tables.ts";
import type { FrozenTable } from "../_sql/frozen.ts";
import { type AddedIndex, addedIndexes } from "../_sql/indexes.ts";
import { type Migration, pending } from "../_sql/migrations.ts";
import type { Ask, Connections } from "../_sql/pool.ts";
import { type AddedColumn, changesOf } from "../_sql/tables.ts";
import { type Place, qualified, quoted } from "./table.ts";

const MIGRATE_MS = 60_000;

/** Never change a migration of a released version: add the next number. `place` = the types of text of this server. */
export const migrations: readonly Omit<Migration, "sql">[] = [
  { id: 1, name: "collections", breaking: true },
  { id: 2, name: "consent", breaking: false },
  { id: 3, name: "audit", breaking: false },
  { id: 4, name: "jobs by status", breaking: false },
  { id: 6, name: "jobs by form and status", breaking: false },
  // Code before this one leaves the new column of a row as it is.
  { id: 7, name: "work on submissions", breaking: false },
  { id: 8, name: "conversations", breaking: false },
  { id: 21, name: "reports and deleted forms", breaking: false },
  // Code before this one leaves the new column of a row as it is.
  { id: 22, name: "senders of submissions", breaking: false },
];

/**
 * Brings the tables up to date; safe from many processes at once, and needs no rights to create anything where they are. The
 * server commits each step by itself, so each may run again. Throws when a newer version has changed the database in a way that
 * this code does not understand. Returns the mark that tells this store from others. Without `creates`, it only checks the tables.
 */
export async function migrate(
  connections: Connections,
  place: Place,
  collation: string,
  creates: boolean,
): Promise<string> {
  const known = migrations.map((migration) => ({ ...migration, sql: () => [] }));
  const lists = qualified(place, "migrations");
  const missing = async (ask: Ask): Promise<Migration[]> => {
    const [there] = await ask("SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?", [
      place.database,
      `${place.prefix}migrations`,
    ]);
    const applied = there ? await ask(`SELECT id, name, breaking FROM ${lists}`) : [];
    const rows = applied.map(({ id, name, breaking }) => ({
      id: Number(id),
      name: String(name),
      breaking: Number(breaking) !== 0,
    }));
    return pending("mysql", rows, known);
  };
  const asking: Ask = (sql, params = []) => connections.ask(sql, params, { again: true });
  if (!creates) {
    const database = collation === "utf8mb4_0900_bin" ? "mysql" : "mariadb";
    await checkOnly(
      { store: "mysql", database, place: place.prefix, within: place.database, collation },
      ({ sql, params }) => asking(sql, params),
      () => missing(asking),
    );
  } else if ((await missing(asking)).length > 0) {
    await connections.transaction(
      [],
      async (ask) => {
        const lock = `form-backend ${place.database} ${place.prefix}`.slice(0, 64);
        const [got] = await ask("SELECT GET_LOCK(?, 50) AS got", [lock]);
        if (Number(got?.got) !== 1)
          throw new Error("[form-backend] mysql: another process migrates the tables for long");
        try {
          await ask(createList(place));
          for (const { id, name, breaking } of await missing(ask)) {
            const { created, columns, indexes } = changesOf(id);
            for (const table of created) await ask(createTable(place, table, collation));
            for (const column of columns) await addColumn(ask, place, column, collation);
            for (const index of [...indexes, ...(addedIndexes[id] ?? [])]) await addIndex(ask, place, index);
            const row = [id, name, Number(breaking), new Date().toISOString(), randomUUID()];
            await ask(`INSERT INTO ${lists} (id, name, breaking, applied_at, mark) VALUES (?, ?, ?, ?, ?)`, row);
          }
        } finally {
          await ask("SELECT RELEASE_LOCK(?)", [lock]);
        }
      },
      MIGRATE_MS,
    );
  }
  const [first] = await asking(markSql(place));
  return String(first?.mark);
}

/** Adds an index, unless an earlier run that ended too soon has: neither server knows `IF NOT EXISTS` for all versions. */
async function addIndex(ask: Ask, place: Place, { collection, name, keys }: AddedIndex): Promise<void> {
  const table = `${place.prefix}${collection}`;
  const [there] = await ask(
    "SELECT 1 FROM information_schema.statistics WHERE table_schema = ? AND table_name = ? AND index_name = ? LIMIT 1",
    [place.database, table, name],
  );
  if (there) return;
  await ask(indexSql(place, { collection, name, keys }));
}

const indexSql = (place: Place, { collection, name, keys }: Pick<AddedIndex, "collection" | "name" | "keys">): string =>
  `ALTER TABLE ${qualified(place, collection)} ADD INDEX ${quoted(name)} (${keys.map(quoted).join(", ")})`;

const createList = (place: Place): string =>
  `CREATE TABLE IF NOT EXISTS ${qualified(place, "migrations")} (id INT PRIMARY KEY, name VARCHAR(64) NOT NULL, breaking TINYINT NOT NULL, applied_at VARCHAR(32) NOT NULL, mark CHAR(36) NOT NULL) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`;

/** All that an empty database needs, as statements. */
export function mysqlSchemaSql(prefix: string, collation: string): string[] {
  const place = { database: "", prefix };
  return [
    createList(place),
    ...migrations.flatMap(({ id, name, breaking }) => {
      const { created, columns, indexes } = changesOf(id);
      return [
        ...created.map((table) => createTable(place, table, collation)),
        ...columns.map((column) => columnSql(place, column, collation)),
        ...[...indexes, ...(addedIndexes[id] ?? [])].map((index) => indexSql(place, index)),
        `INSERT INTO ${qualified(place, "migrations")} (id, name, breaking, applied_at, mark) VALUES (${id}, '${name}', ${Number(breaking)}, '${new Date().toISOString()}', UUID())`,
      ];
    }),
  ];
}

/** Reads the mark of the store of these tables. */
export const markSql = (place: Place): string => `SELECT mark FROM ${qualified(place, "migrations")} WHERE id = 1`;

const textOf = (length: number, collation: string): string =>
  `VARCHAR(${length}) CHARACTER SET utf8mb4 COLLATE ${collation}`;

function typeOf(name: string, type: ColumnType, collation: string): string {
  if (SHORT.has(name)) return textOf(32, collation);
  return { text: textOf(320, collation), time: textOf(40, collation), integer: "BIGINT", boolean: "TINYINT" }[type];
}

/** Adds a column, unless an earlier run that ended too soon has. */
async function addColumn(ask: Ask, place: Place, { collection, name, type }: AddedColumn, collation: string) {
  const [there] = await ask(
    "SELECT 1 FROM information_schema.columns WHERE table_schema = ? AND table_name = ? AND column_name = ? LIMIT 1",
    [place.database, `${place.prefix}${collection}`, name],
  );
  if (there) return;
  await ask(columnSql(place, { collection, name, type }, collation));
}

const columnSql = (place: Place, { collection, name, type }: AddedColumn, collation: string): string =>
  `ALTER TABLE ${qualified(place, collection)} ADD COLUMN ${quoted(name)} ${typeOf(name, type, collation)}`;

function createTable(place: Place, { collection, columns: typed, indexes }: FrozenTable, collation: string): string {
  const text = (length: number): string => textOf(length, collation);
  const id = `id ${text(360)} NOT NULL`;
  const create = (parts: readonly string[]): string =>
    `CREATE TABLE IF NOT EXISTS ${qualified(place, collection)} (${parts.join(", ")}) ENGINE = InnoDB ROW_FORMAT = DYNAMIC`;
  if (collection === "counters") {
    // A counter is the sum of its slots, so that commits at the same time need not wait for each other.
    return create([
      id,
      "slot INT NOT NULL",
      "n BIGINT NOT NULL",
      `at ${typeOf("at", "time", collation)} NOT NULL`,
      "PRIMARY KEY (id, slot)",
    ]);
  }
  const columns = Object.entries(typed).map(([name, type]) => `${quoted(name)} ${typeOf(name, type, collation)}`);
  const data = "data LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL";
  // There are no partial indexes: a lane of its own keeps jobs that are done out of the walk from target to target.
  const due =
    collection === "jobs" ? [`due_lane ${text(32)} GENERATED ALWAYS AS (IF(due_at IS NULL, NULL, lane)) STORED`] : [];
  const keys = indexes.map(({ name, keys: of }) => {
    const by = of.map((column) => quoted(name === "due_target" && column === "lane" ? "due_lane" : column));
    return `INDEX ${quoted(name)} (${by.join(", ")})`;
  });
  return create([id, "version INT NOT NULL", ...columns, data, ...due, "PRIMARY KEY (id)", ...keys]);
}
