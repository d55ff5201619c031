import { checkRow } from "../_rows/columns.ts";
import type { Ask, Connections } from "../_sql/pool.ts";
import type { SqlValue } from "../_sql/sql.ts";
import { StaleWriteError, type Value, type Write } from "../types.ts";
import { isRace, STALE, sqlState } from "./errors.ts";
import { writeFunction } from "./functions.ts";
import { type PgTable, qualified, rowsJson } from "./table.ts";

const MAX_RACES = 10;
/** Below PostgreSQL's limit of columns in a SELECT. */
const MAX_CALLS = 500;

/** Usually everything that a commit writes: one round trip, and a transaction by itself. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

type Kind = "insert" | "upsert" | "update" | "remove" | "removeAt" | "add";

/** Rows of one table that are written in the same way: a call of its function. */
interface Part {
  readonly table: PgTable;
  readonly kind: Kind;
  readonly rows: Value[];
}

/** Turns commits into SQL. `slot` = the row of a counter that a commit adds to where it finds no free one. */
export interface Compiler {
  compile(writes: readonly Write[], slot: number): Statement[];
}

export function compiler(schema: string, tableOf: (collection: string) => PgTable): Compiler {
  function statement(parts: readonly Part[], slot: number): Statement {
    const calls = parts.map(({ table, kind }, i) => {
      const write = qualified(schema, writeFunction(table.collection));
      return `${write}('${kind}', $${2 * i + 1}::text::json, $${2 * i + 2}::integer)`;
    });
    const params = parts.flatMap(({ kind, rows }) => [
      rowsJson(rows),
      kind === "add" ? slot : expects(kind) ? rows.length : 0,
    ]);
    return { sql: `SELECT ${calls.join(", ")}`, params };
  }

  return {
    compile(writes, slot) {
      // A further write to a row that the commit has written already goes into the next round.
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
      const parts = rounds.flatMap((round) => [...round.values()].map(inOrder).sort(byTable));
      const statements: Statement[] = [];
      while (parts.length > 0) statements.push(statement(parts.splice(0, MAX_CALLS), slot));
      return statements;
    },
  };
}

// One order everywhere, so that two commits which write the same rows do not wait for each other in a circle.
const byTable = (a: Part, b: Part): number => (shapeOf(a) < shapeOf(b) ? -1 : 1);
const shapeOf = ({ table, kind }: Part): string => `${table.collection} ${kind}`;
function inOrder(part: Part): Part {
  // Fresh rows too: two processes may be about to write the same marks.
  part.rows.sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
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

/** Runs a commit's statements, over again where it lost a race. Throws `StaleWriteError` when an expectation fails. */
export async function commitPg(connections: Connections, statements: readonly Statement[]): Promise<void> {
  const [only] = statements;
  if (!only) return;
  for (let races = 0; ; races++) {
    try {
      if (statements.length === 1) await connections.ask(only.sql, only.params);
      else await connections.transaction(["BEGIN"], (ask) => runAll(ask, statements));
      return;
    } catch (error) {
      if (!isRace(error) || races === MAX_RACES) throw asStale(error);
    }
  }
}

export async function runAll(ask: Ask, statements: readonly Statement[]): Promise<void> {
  for (const { sql, params } of statements) await ask(sql, params);
}

/** An error raised by a function, as every driver reports it. */
export function asStale(error: unknown): unknown {
  if (sqlState(error) !== STALE) return error;
  const { collection, id } = JSON.parse(String((error as { detail?: unknown }).detail)) as Record<string, string>;
  return new StaleWriteError(String(collection), String(id));
}
