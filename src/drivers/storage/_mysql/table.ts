import { columnsOf } from "../_rows/columns.ts";
import { type Codec, codecOf, type Dialect } from "../_sql/sql.ts";

/** The server's clock in epoch ms. */
export const NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6)) DIV 1000";

export const quoted = (name: string): string => `\`${name}\``;

export const dialect: Dialect = {
  column: quoted,
  boolean: Number,
  oneOf: (column, _, values) =>
    values.length === 0
      ? { sql: "1 = 0", params: [] }
      : { sql: `${column} IN (${values.map(() => "?").join(", ")})`, params: values },
  // The optimizer does not seek by a comparison of rows.
  beyond(sort, operator, { sort: at, id }) {
    const way = operator.charAt(0);
    return { sql: `${sort} ${way}= ? AND (${sort} ${way} ? OR id ${operator} ?)`, params: [at, at, id] };
  },
};

/** The places of the tables: the names of a database and of a prefix. Without a database, they are in the connection's. */
export interface Place {
  readonly database: string;
  readonly prefix: string;
}

/** One collection's table: names always with their database, because a host's connection may use another one. */
export interface MysqlTable extends Codec {
  readonly collection: string;
  readonly name: string;
  /** The columns of a row's parameters, quoted: `id`, `version`, the declared ones, `data`. */
  readonly columns: readonly string[];
}

export const qualified = ({ database, prefix }: Place, name: string): string =>
  database ? `${quoted(database)}.${quoted(prefix + name)}` : quoted(prefix + name);

export function mysqlTable(place: Place, collection: string): MysqlTable {
  const declared = columnsOf(collection).map(({ name }) => quoted(name));
  return {
    collection,
    name: qualified(place, collection),
    columns: ["id", "version", ...declared, "data"],
    ...codecOf(collection),
  };
}

/** A table read by one of its indexes. */
export const byIndex = (table: MysqlTable, index: string): string => `${table.name} FORCE INDEX (${quoted(index)})`;
