import { checkRow } from "./columns.ts";
import { isRace, STALE, sqlState } from "./postgres-errors.ts";
import type { Ask, Connections } from "./postgres-pool.ts";
import { type PgTable, qualified, safeJson, sqlTypes } from "./postgres-table.ts";
import { collectionSpec } from "./schema.ts";
import type { SqlValue } from "./sql.ts";
import { StaleWriteError, type Value, type Write } from "./types.ts";

const MAX_RACES = 10;

/** One statement for everything that a commit writes: one round trip, and a transaction by itself. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

type Kind = "insert" | "upsert" | "update" | "remove" | "removeAt" | "add";

/** Rows of one table that are written in the same way. */
interface Part {
  readonly table: PgTable;
  readonly kind: Kind;
  readonly rows: Value[];
}

/** How commits become SQL. `slot` = which of a counter's rows a commit adds to. */
export interface Compiler {
  /** Usually one statement; one more for each further write to a row that the commit has written already. */
  compile(writes: readonly Write[], slot: number): Statement[];
}

export function compiler(schema: string, tableOf: (collection: string) => PgTable): Compiler {
  const known = new Map<string, string>();

  function statement(parts: readonly Part[], slot: number): Statement {
    const shape = parts.map(({ table, kind }) => `${kind} ${table.collection}`).join();
    let sql = known.get(shape);
    if (!sql) {
      sql = statementSql(schema, parts);
      known.set(shape, sql);
    }
    const params = parts.flatMap(({ kind, rows }): SqlValue[] =>
      kind === "add" ? [safeJson(rows), slot] : expects(kind) ? [safeJson(rows), rows.length] : [safeJson(rows)],
    );
    return { sql, params };
  }

  return {
    compile(writes, slot) {
      const rounds: Map<string, Part>[] = [];
      const last = new Map<string, { round: number; add?: Value }>();
      for (const write of writes) {
        checkRow(write);
        const table = tableOf(write.op === "add" ? "counters" : write.collection);
        const key = `${table.collection} ${write.id}`;
        const earlier = last.get(key);
        if (write.op === "add" && earlier?.add) {
          merge(earlier.add, write);
          continue;
        }
        const round = earlier ? earlier.round + 1 : 0;
        const [kind, row] = rowOf(write, table);
        if (round === rounds.length) rounds.push(new Map());
        const parts = rounds[round] as Map<string, Part>;
        const shape = `${table.collection} ${kind}`;
        const part = parts.get(shape) ?? { table, kind, rows: [] };
        part.rows.push(row);
        parts.set(shape, part);
        last.set(key, { round, ...(write.op === "add" && { add: row }) });
      }
      return rounds.map((parts) => statement([...parts.values()].map(inOrder).sort(byTable), slot));
    },
  };
}

// One order everywhere, so that two commits which write the same rows do not wait for each other in a circle.
const byTable = (a: Part, b: Part): number => (shapeOf(a) < shapeOf(b) ? -1 : 1);
const shapeOf = ({ table, kind }: Part): string => `${table.collection} ${kind}`;
function inOrder(part: Part): Part {
  // Fresh rows are nobody else's, and in the order of their ids already.
  if (part.kind !== "insert") part.rows.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  return part;
}

const expects = (kind: Kind): boolean => kind === "insert" || kind === "update" || kind === "removeAt";

function rowOf(write: Write, table: PgTable): [Kind, Value] {
  if (write.op === "add") return ["add", { id: write.id, n: write.by, at: write.at }];
  const { id, expect } = write;
  if (write.op === "remove") {
    return typeof expect === "number" ? ["removeAt", { id, version: expect }] : ["remove", { id }];
  }
  if (typeof expect === "number") return ["update", table.encode(id, write.value, expect)];
  return [expect === null ? "insert" : "upsert", table.encode(id, write.value)];
}

function merge(sum: Value, { by, at }: Extract<Write, { op: "add" }>): void {
  sum.n = Number(sum.n) + by;
  if (at > String(sum.at)) sum.at = at;
}

function statementSql(schema: string, parts: readonly Part[]): string {
  let n = 0;
  const checks: string[] = [];
  const steps = parts.map((part, i) => {
    const rows = `$${++n}::text::json`;
    const step = `w${i}`;
    if (expects(part.kind)) {
      const stale = qualified(schema, "stale");
      checks.push(
        `CASE WHEN (SELECT count(*) FROM ${step}) <> $${++n}::int THEN ${stale}('${part.table.collection}', ${rows}, ARRAY(SELECT id FROM ${step})) END`,
      );
    }
    return `${step} AS (${stepSql(part, rows, part.kind === "add" ? `$${++n}::int` : "")})`;
  });
  return `WITH ${steps.join(", ")} SELECT ${checks.join(", ") || "1"}`;
}

function stepSql({ table, kind }: Part, rows: string, slot: string): string {
  const { name, columns, collection } = table;
  const spec = collectionSpec(collection).columns;
  const typed = columns.map((column) => `${column} ${sqlTypes[spec[column]!].replace(/ COLLATE.*/, "")}`);
  const from = (...more: string[]): string => `json_to_recordset(${rows}) AS x(${["id text", ...more].join(", ")})`;
  const names = [...columns, "data"];
  const set = (source: string): string => names.map((column) => `${column} = ${source}.${column}`).join(", ");
  const insert = `INSERT INTO ${name} AS t (id, version, ${names.join(", ")}) SELECT x.id, 1, ${names.map((column) => `x.${column}`).join(", ")} FROM ${from(...typed, "data json")} ON CONFLICT (id) DO`;
  switch (kind) {
    case "insert":
      return `${insert} NOTHING RETURNING id`;
    case "upsert":
      return `${insert} UPDATE SET version = t.version + 1, ${set("excluded")}`;
    case "update":
      return `UPDATE ${name} t SET version = t.version + 1, ${set("x")} FROM ${from("version int", ...typed, "data json")} WHERE t.id = x.id AND t.version = x.version RETURNING t.id`;
    case "remove":
      return `DELETE FROM ${name} t USING ${from()} WHERE t.id = x.id`;
    case "removeAt":
      return `DELETE FROM ${name} t USING ${from("version int")} WHERE t.id = x.id AND t.version = x.version RETURNING t.id`;
    case "add":
      return `INSERT INTO ${name} AS t (id, slot, n, at) SELECT x.id, ${slot}, x.n, x.at FROM ${from("n bigint", "at text")} ON CONFLICT (id, slot) DO UPDATE SET n = t.n + excluded.n, at = greatest(t.at, excluded.at)`;
  }
}

/** Runs a commit's statements, over again where it lost a race. Throws `StaleWriteError` when an expectation fails. */
export async function commitPg(connections: Connections, statements: readonly Statement[]): Promise<void> {
  const [only] = statements;
  if (!only) return;
  for (let races = 0; ; races++) {
    try {
      if (statements.length === 1) await connections.ask(only.sql, only.params);
      else await connections.transaction("BEGIN", (ask) => runAll(ask, statements));
      return;
    } catch (error) {
      if (!isRace(error) || races === MAX_RACES) throw asStale(error);
    }
  }
}

export async function runAll(ask: Ask, statements: readonly Statement[]): Promise<void> {
  for (const { sql, params } of statements) await ask(sql, params);
}

/** What the function `stale` raised, as every driver says it. */
export function asStale(error: unknown): unknown {
  if (sqlState(error) !== STALE) return error;
  const { collection, id } = JSON.parse(String((error as { detail?: unknown }).detail)) as Record<string, string>;
  return new StaleWriteError(String(collection), String(id));
}
