import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import Libsql from "libsql";

/** The parts of the protocol "Hrana over HTTP", version 2, that `@libsql/client` uses for statements, batches and transactions. */
type Value = { type: "null" } | { type: "integer" | "text"; value: string } | { type: "float"; value: number };
interface Statement {
  readonly sql?: string | null;
  readonly sql_id?: number | null;
  readonly args?: readonly Value[];
}
type Condition =
  | { type: "ok" | "error"; step: number }
  | { type: "not"; cond: Condition }
  | { type: "and" | "or"; conds: readonly Condition[] }
  | { type: "is_autocommit" };
type Request =
  | { type: "close" }
  | { type: "store_sql"; sql_id: number; sql: string }
  | { type: "close_sql"; sql_id: number }
  | { type: "execute"; stmt: Statement }
  | { type: "batch"; batch: { steps: readonly { stmt: Statement; condition?: Condition | null }[] } };
interface Failure {
  readonly message: string;
  readonly code: string;
}

const toJs = (value: Value): unknown =>
  value.type === "null" ? null : value.type === "integer" ? BigInt(value.value) : value.value;

function fromJs(value: unknown): Value {
  if (value === null || value === undefined) return { type: "null" };
  if (typeof value === "string") return { type: "text", value };
  if (typeof value === "bigint" || Number.isInteger(value)) return { type: "integer", value: String(value) };
  return { type: "float", value: value as number };
}

/** A connection of the server's: that of one request, or of a transaction that stays open between several. */
interface Stream {
  readonly database: Libsql.Database;
  readonly stored: Map<number, string>;
}

const LOCK_MS = 5_000;
const failureOf = (error: unknown): Failure => ({
  message: `SQLite error: ${(error as Error).message}`,
  code: String((error as { code?: unknown }).code ?? "SQLITE_ERROR"),
});

/** Waits, as a server does, while another stream has the lock for writing. */
async function execute({ database, stored }: Stream, { sql, sql_id, args = [] }: Statement): Promise<object> {
  const text = sql ?? stored.get(sql_id ?? -1) ?? "";
  const values = args.map(toJs);
  for (const until = performance.now() + LOCK_MS; ; await setTimeout(2)) {
    try {
      // A prepared one that fails by the lock would stay in the way of the next commit of its connection.
      if (/^BEGIN/.test(text)) {
        database.exec(text);
        return { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };
      }
      const statement = database.prepare(text);
      if (!statement.reader) {
        const { changes } = statement.run(...values);
        return { cols: [], rows: [], affected_row_count: changes, last_insert_rowid: null };
      }
      const rows = statement.raw(true).all(...values) as unknown[][];
      const cols = statement.columns().map(({ name }) => ({ name, decltype: null }));
      return { cols, rows: rows.map((row) => row.map(fromJs)), affected_row_count: 0, last_insert_rowid: null };
    } catch (error) {
      if (!/is locked/.test((error as Error).message) || performance.now() > until) throw error;
    }
  }
}

type Steps = Extract<Request, { type: "batch" }>["batch"]["steps"];

async function batch(stream: Stream, steps: Steps): Promise<object> {
  const results: (object | null)[] = [];
  const errors: (Failure | null)[] = [];
  const holds = (condition: Condition): boolean => {
    if (condition.type === "ok") return results[condition.step] !== null;
    if (condition.type === "error") return errors[condition.step] !== null;
    if (condition.type === "not") return !holds(condition.cond);
    if (condition.type === "and") return condition.conds.every(holds);
    return condition.type === "or" ? condition.conds.some(holds) : !stream.database.inTransaction;
  };
  for (const { stmt, condition } of steps) {
    let [result, error]: [object | null, Failure | null] = [null, null];
    try {
      if (!condition || holds(condition)) result = await execute(stream, stmt);
    } catch (thrown) {
      error = failureOf(thrown);
    }
    results.push(result);
    errors.push(error);
  }
  return { step_results: results, step_errors: errors };
}

async function answer(stream: Stream, request: Request): Promise<object> {
  try {
    if (request.type === "store_sql") stream.stored.set(request.sql_id, request.sql);
    const result =
      request.type === "execute"
        ? { result: await execute(stream, request.stmt) }
        : request.type === "batch"
          ? { result: await batch(stream, request.batch.steps) }
          : {};
    return { type: "ok", response: { type: request.type, ...result } };
  } catch (error) {
    return { type: "error", error: failureOf(error) };
  }
}

/** A server of libSQL over HTTP as its protocol describes it: streams of their own connections, over a file that goes with it. */
export async function hranaServer(): Promise<{
  url: string;
  requests(): number;
  /** Forgets the streams that are open between requests, as a server does after some seconds. */
  expire(): void;
  close(): Promise<void>;
}> {
  const directory = mkdtempSync(join(tmpdir(), "fb-hrana-"));
  const opened = (): Libsql.Database => {
    const database = new Libsql(join(directory, "data"));
    database.exec("PRAGMA synchronous = OFF");
    return database;
  };
  const idle = [opened()];
  idle[0]?.exec("PRAGMA journal_mode = WAL");
  const open = new Map<string, Stream>();
  let requests = 0;

  function end({ database }: Stream): void {
    if (database.inTransaction) database.exec("ROLLBACK");
    idle.push(database);
  }

  /** Null for a stream that is no longer there. */
  async function pipeline(baton: string | null, asked: readonly Request[]): Promise<object | null> {
    const stream = baton === null ? { database: idle.pop() ?? opened(), stored: new Map() } : open.get(baton);
    if (!stream) return null;
    if (baton !== null) open.delete(baton);
    const results: object[] = [];
    for (const request of asked) results.push(await answer(stream, request));
    const isOver = asked.some(({ type }) => type === "close");
    const next = isOver ? null : randomUUID();
    if (next === null) end(stream);
    else open.set(next, stream);
    return { baton: next, base_url: null, results };
  }

  const server: Server = createServer(async (req, res) => {
    if (req.method === "GET") return void res.writeHead(req.url === "/v2" ? 200 : 404).end();
    requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { baton: string | null; requests: Request[] };
    const found = await pipeline(body.baton ?? null, body.requests);
    const gone = { message: "The stream has expired due to inactivity", code: "STREAM_EXPIRED" };
    res.writeHead(found ? 200 : 400, { "content-type": "application/json" }).end(JSON.stringify(found ?? gone));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const expire = (): void => {
    for (const stream of open.values()) end(stream);
    open.clear();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    expire,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      expire();
      for (const database of idle) database.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
