import { setTimeout } from "node:timers/promises";
import { type Part, partsOf } from "../_sql/parts.ts";
import type { Ask, Connections } from "../_sql/pool.ts";
import type { SqlRow, SqlValue } from "../_sql/sql.ts";
import { StaleWriteError, type Write } from "../types.ts";
import { compound, NEEDS_MORE } from "./compound.ts";
import { DUPLICATE, errorNumber, isRace } from "./errors.ts";
import { ADDING, type Statement } from "./statement.ts";
import type { MysqlTable } from "./table.ts";

/** Bounds of one statement, below every `max_allowed_packet` that `open()` accepts even where each byte is escaped. */
const MAX_ROWS = 512;
const MAX_LENGTH = 512 * 1024;
/** Rows of a counter that commits add to; a host's transactions add to those from here on. */
export const SLOTS = 16;
/** `id`, `slot`, `n` and `at`. */
const COUNTER_COLUMNS = 4;
const MAX_RACES = 20;
const PAUSE_MS = 10;

/** Locks only the rows that it writes, and not the places between them. */
export const BEGIN = ["SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "START TRANSACTION"] as const;

/** Turns commits into statements of many rows. `slot` = the row of a counter that a commit adds to where it finds no free one. */
export function compiler(tableOf: (collection: string) => MysqlTable) {
  return (writes: readonly Write[], slot: number): Statement[] =>
    partsOf(writes).flatMap((part) => {
      const table = tableOf(part.collection);
      const rows = part.writes.map((write) => ({ write, params: paramsOf(table, write, slot) }));
      const statements: Statement[] = [];
      for (let from = 0; from < rows.length; ) {
        let to = from;
        for (let length = 0; to < rows.length && to - from < MAX_ROWS; to++) {
          length += lengthOf(rows[to]!.params);
          if (to > from && length > MAX_LENGTH) break;
        }
        const chunk = rows.slice(from, to);
        statements.push({
          ...statement(table, part, chunk),
          table,
          writes: chunk.map(({ write }) => write),
        });
        from = to;
      }
      return statements;
    });
}

interface Row {
  readonly write: Write;
  readonly params: readonly SqlValue[];
}

function paramsOf(table: MysqlTable, write: Write, slot: number): SqlValue[] {
  if (write.op === "add") return [write.id, slot, write.by, write.at];
  if (write.op === "remove") return [write.id];
  return [write.id, write.expect ?? 1, ...table.encode(write.value)];
}

const lengthOf = (params: readonly SqlValue[]): number =>
  params.reduce<number>((sum, param) => sum + (typeof param === "string" ? param.length + 3 : 8), 0);

function statement(
  { name, columns }: MysqlTable,
  { kind }: Part,
  rows: readonly Row[],
): Pick<Statement, "sql" | "params" | "affected"> {
  const params = rows.flatMap((row) => row.params);
  const ids = rows.map(() => "?").join(", ");
  const tuples = rows.map((row) => `(${row.params.map(() => "?").join(", ")})`).join(", ");
  const [, , ...changing] = columns;
  const insert = `INSERT INTO ${name} (${columns.join(", ")}) VALUES ${tuples}`;
  // A DELETE would otherwise read a small table as a whole, and wait for every row that somebody else writes.
  const remove = `DELETE FROM ${name} USING ${name} FORCE INDEX (PRIMARY) WHERE id IN (${ids})`;
  switch (kind) {
    case "add": {
      const sql = `INSERT INTO ${name} (id, slot, n, at) VALUES ${tuples} ${ADDING}`;
      return { sql, params, affected: null };
    }
    case "insert":
      return { sql: insert, params, affected: rows.length };
    case "upsert": {
      const sets = changing.map((column) => `${column} = VALUES(${column})`);
      const sql = `${insert} ON DUPLICATE KEY UPDATE ${[...sets, "version = version + 1"].join(", ")}`;
      return { sql, params, affected: null };
    }
    case "update": {
      // Each row with its expected version: one that matches counts as two, one that is missing or newer does not.
      const sets = [...changing, "version"].map((column) => {
        const value = column === "version" ? "version + 1" : `VALUES(${column})`;
        return `${column} = IF(version = VALUES(version), ${value}, ${column})`;
      });
      return { sql: `${insert} ON DUPLICATE KEY UPDATE ${sets.join(", ")}`, params, affected: 2 * rows.length };
    }
    case "remove":
      return {
        sql: remove,
        params,
        affected: rows.some(({ write }) => "expect" in write && write.expect === null) ? rows.length : null,
      };
    case "removeAt": {
      const versions = rows.flatMap(({ write }) => [write.id, (write as { expect: number }).expect]);
      const sql = `${remove} AND version = CASE id ${rows.map(() => "WHEN ? THEN ?").join(" ")} END`;
      return { sql, params: [...params, ...versions], affected: rows.length };
    }
  }
}

/** Runs statements within a transaction. Throws `StaleWriteError` when an expectation fails; all is then to be rolled back. */
export async function runAll(ask: Ask, statements: readonly Statement[]): Promise<void> {
  for (const statement of statements) {
    const { sql, affected } = statement;
    const params = adds(statement) ? await intoFreeSlots(ask, statement) : statement.params;
    let done: number | undefined;
    try {
      const [result] = await ask(sql, params);
      done = Number(result?.affectedRows);
    } catch (error) {
      if (errorNumber(error) !== DUPLICATE) throw error;
    }
    if (done === undefined || (affected !== null && done !== affected)) throw await stale(ask, statement);
  }
}

const adds = ({ writes }: Statement): boolean => writes[0]?.op === "add";

/**
 * A counter is the sum of its slots. Takes for each the first that no other transaction holds, else a new one: so a counter gets a
 * second row only where two commits add to it at once, and none waits for another. Returns the parameters with these slots. Not for
 * a host's transaction, where the search would also lock the gaps between rows, and so block everybody's new counters until it ends.
 */
async function intoFreeSlots(ask: Ask, { table, writes, params }: Statement): Promise<readonly SqlValue[]> {
  const own = Number(params[1]);
  if (own >= SLOTS) return params;
  const one = `(SELECT id, slot FROM ${table.name} WHERE id = ? ORDER BY slot LIMIT 1 FOR UPDATE SKIP LOCKED)`;
  const ids = writes.map(({ id }) => id);
  const free = slotsById(await ask(ids.map(() => one).join(" UNION ALL "), ids));
  const others = ids.filter((id) => !free.has(id));
  const list = `SELECT id, slot FROM ${table.name} WHERE id IN (${others.map(() => "?").join(", ")})`;
  const held = slotsById(others.length > 0 ? await ask(list, others) : []);
  const taken = [...params];
  ids.forEach((id, i) => {
    taken[i * COUNTER_COLUMNS + 1] = free.get(id)?.[0] ?? unused(held.get(id)) ?? own;
  });
  return taken;
}

function slotsById(rows: readonly SqlRow[]): Map<string, number[]> {
  const slots = new Map<string, number[]>();
  for (const { id, slot } of rows) slots.set(String(id), [...(slots.get(String(id)) ?? []), Number(slot)]);
  return slots;
}

function unused(held: readonly number[] = []): number | undefined {
  for (let slot = 0; slot < SLOTS; slot++) if (!held.includes(slot)) return slot;
  return undefined;
}

/** Names a row whose expectation failed, as far as what the transaction sees tells. */
async function stale(ask: Ask, { table, writes, sql }: Statement): Promise<StaleWriteError> {
  const ids = writes.map(({ id }) => id);
  const rows = await ask(`SELECT id, version FROM ${table.name} WHERE id IN (${ids.map(() => "?").join(", ")})`, ids);
  const versions = new Map(rows.map((row) => [String(row.id), Number(row.version)]));
  const wasRemoved = sql.startsWith("DELETE");
  const failed = writes.find((write) => {
    const { expect } = write as { expect?: number | null };
    const found = versions.get(write.id);
    if (expect === null) return found !== undefined;
    return wasRemoved ? found !== undefined : found !== (expect ?? 0) + 1;
  });
  return new StaleWriteError(table.collection, (failed ?? writes[0]!).id);
}

/**
 * Runs a commit, the whole of it over again where it lost a race; in one round trip where the server can and the rows allow it.
 * Throws `StaleWriteError` when an expectation fails.
 */
export async function commitMysql(
  connections: Connections,
  statements: readonly Statement[],
  isMariadb: boolean,
): Promise<void> {
  const [only] = statements;
  if (!only) return;
  const single = statements.length === 1 && only.affected === null && !adds(only);
  let whole = single || !isMariadb ? null : compound(statements);
  await repeated<unknown>(async () => {
    // One statement is a transaction by itself.
    if (single) return connections.ask(only.sql, only.params);
    if (whole) {
      try {
        return await connections.ask(whole.sql, whole.params);
      } catch (error) {
        if (!isUndone(error)) throw error;
        whole = null;
      }
    }
    try {
      return await connections.transaction(BEGIN, (ask) => runAll(ask, statements));
    } catch (error) {
      throw error instanceof StaleWriteError ? ((await staleBefore(connections, statements)) ?? error) : error;
    }
  });
}

/** True if the server took all of a compound statement back: a row was there, or a counter's rows are all held. */
const isUndone = (error: unknown): boolean =>
  errorNumber(error) === DUPLICATE || String(((error as Error).cause ?? error) as Error).includes(NEEDS_MORE);

/**
 * Names the row that was not of the expected version, now that all is rolled back. Within the transaction a row that somebody else
 * has changed once looks like those that it has changed itself.
 */
async function staleBefore(connections: Connections, statements: readonly Statement[]) {
  for (const { table, writes, affected } of statements) {
    if (affected !== 2 * writes.length) continue;
    const ids = writes.map(({ id }) => id);
    const sql = `SELECT id, version FROM ${table.name} WHERE id IN (${ids.map(() => "?").join(", ")})`;
    const rows = await connections.ask(sql, ids, { again: true });
    const versions = new Map(rows.map((row) => [String(row.id), Number(row.version)]));
    const failed = writes.find((write) => versions.get(write.id) !== (write as { expect?: number }).expect);
    if (failed) return new StaleWriteError(table.collection, failed.id);
  }
  return undefined;
}

/** Runs a transaction again where it lost a race. */
export async function repeated<T>(work: () => Promise<T>): Promise<T> {
  for (let races = 0; ; races++) {
    try {
      return await work();
    } catch (error) {
      if (!isRace((error as Error).cause ?? error) || races === MAX_RACES) throw error;
      // The winner goes on first, and losers don't all come back at the same moment.
      await setTimeout(Math.random() * PAUSE_MS * Math.min(races, 5));
    }
  }
}
