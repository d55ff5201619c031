import type { ColumnType } from "../../../model/collections.ts";
import { currentTables } from "../_sql/tables.ts";

/** The databases that have tables of ours. */
export type Database = "postgres" | "mysql" | "mariadb" | "sqlite";

/** The tools whose schema is printed. */
export type Tool = "sql" | "drizzle" | "prisma";

/** The tool and the database to print for. The tables are in a schema in PostgreSQL, and have a prefix in the others. */
export interface Printed {
  readonly tool: Tool;
  readonly database: Database;
  readonly place: string;
}

/** The kinds of columns: those of declared ones, and the others that tables have. */
export type Kind = ColumnType | "id" | "short" | "small" | "data" | "stamp";

/** A column of a table. */
export interface Column {
  readonly name: string;
  readonly kind: Kind;
  readonly required: boolean;
  /** Computed by the database from the columns `due_at` and `lane`. */
  readonly isLane?: boolean;
}

/** A table as the last migration leaves it. */
export interface Described {
  readonly collection: string;
  readonly columns: readonly Column[];
  readonly primary: readonly string[];
  /** `sort`: only rows where it is not null have to be in the index. */
  readonly indexes: readonly { readonly name: string; readonly keys: readonly string[]; readonly sort: string }[];
}

/** Columns with few short values, so that all keys of an index of MySQL fit into its 3,072 bytes. */
export const SHORT: ReadonlySet<string> = new Set(["lane", "status", "country", "action", "aside", "run", "sender"]);

const column = (name: string, kind: Kind, required = true): Column => ({ name, kind, required });

/** All tables but the list of migrations. */
export function describedTables(database: Database): Described[] {
  const isMysql = database === "mysql" || database === "mariadb";
  return [...currentTables.values()].map(({ collection, columns: typed, indexes }) => {
    if (collection === "counters") {
      // A counter is the sum of its slots, where commits run at the same time.
      const slots = database === "sqlite" ? [] : [column("slot", "small")];
      const columns = [column("id", "id"), ...slots, column("n", "integer"), column("at", "time")];
      return { collection, columns, primary: ["id", ...slots.map(({ name }) => name)], indexes: [] };
    }
    const declared = Object.entries(typed).map(([name, type]) =>
      column(name, SHORT.has(name) && type === "text" ? "short" : type, false),
    );
    // MySQL has no partial indexes: a lane of its own keeps jobs that are done out of the walk from target to target.
    const hasLane = isMysql && collection === "jobs";
    const lane: Column[] = hasLane ? [{ name: "due_lane", kind: "short", required: false, isLane: true }] : [];
    return {
      collection,
      columns: [column("id", "id"), column("version", "small"), ...declared, column("data", "data"), ...lane],
      primary: ["id"],
      indexes: indexes.map(({ name, keys, sort }) => ({
        name,
        sort,
        keys: keys.map((key) => (hasLane && name === "due_target" && key === "lane" ? "due_lane" : key)),
      })),
    };
  });
}

/** The list of migrations, as a table. */
export function listTable(database: Database): Described {
  const isMysql = database === "mysql" || database === "mariadb";
  return {
    collection: "migrations",
    columns: [
      column("id", "small"),
      column("name", "short"),
      column("breaking", "boolean"),
      column("applied_at", database === "postgres" ? "stamp" : "time"),
      ...(isMysql ? [column("mark", "short")] : []),
    ],
    primary: ["id"],
    indexes: [],
  };
}
