import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Libsql from "libsql";

/** The parts of the protocol "Hrana over HTTP", version 2, that `@libsql/client` uses for statements and batches. */
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

/** A server of libSQL over HTTP as its protocol describes it, over a database in memory. Each request is a stream of its own. */
export async function hranaServer(): Promise<{ url: string; requests(): number; close(): Promise<void> }> {
  const database = new Libsql(":memory:");
  let requests = 0;

  function execute({ sql, sql_id, args = [] }: Statement, stored: ReadonlyMap<number, string>): object {
    const text = sql ?? stored.get(sql_id ?? -1) ?? "";
    const statement = database.prepare(text);
    const values = args.map(toJs);
    if (!statement.reader) {
      const { changes } = statement.run(...values);
      return { cols: [], rows: [], affected_row_count: changes, last_insert_rowid: null };
    }
    const rows = statement.raw(true).all(...values) as unknown[][];
    const cols = statement.columns().map(({ name }) => ({ name, decltype: null }));
    return { cols, rows: rows.map((row) => row.map(fromJs)), affected_row_count: 0, last_insert_rowid: null };
  }

  const failureOf = (error: unknown): Failure => ({
    message: `SQLite error: ${(error as Error).message}`,
    code: String((error as { code?: unknown }).code ?? "SQLITE_ERROR"),
  });

  function batch(steps: Extract<Request, { type: "batch" }>["batch"]["steps"], stored: ReadonlyMap<number, string>) {
    const results: (object | null)[] = [];
    const errors: (Failure | null)[] = [];
    const holds = (condition: Condition): boolean => {
      if (condition.type === "ok") return results[condition.step] !== null;
      if (condition.type === "error") return errors[condition.step] !== null;
      if (condition.type === "not") return !holds(condition.cond);
      if (condition.type === "and") return condition.conds.every(holds);
      return condition.type === "or" ? condition.conds.some(holds) : !database.inTransaction;
    };
    for (const { stmt, condition } of steps) {
      let [result, error]: [object | null, Failure | null] = [null, null];
      try {
        if (!condition || holds(condition)) result = execute(stmt, stored);
      } catch (thrown) {
        error = failureOf(thrown);
      }
      results.push(result);
      errors.push(error);
    }
    return { step_results: results, step_errors: errors };
  }

  const answer = (request: Request, stored: Map<number, string>): object => {
    try {
      if (request.type === "store_sql") stored.set(request.sql_id, request.sql);
      const result =
        request.type === "execute"
          ? { result: execute(request.stmt, stored) }
          : request.type === "batch"
            ? { result: batch(request.batch.steps, stored) }
            : {};
      return { type: "ok", response: { type: request.type, ...result } };
    } catch (error) {
      return { type: "error", error: failureOf(error) };
    }
  };

  const server: Server = createServer(async (req, res) => {
    if (req.method === "GET") return void res.writeHead(req.url === "/v2" ? 200 : 404).end();
    requests++;
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const stored = new Map<number, string>();
    const results = (JSON.parse(body) as { requests: Request[] }).requests.map((each) => answer(each, stored));
    res
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ baton: null, base_url: null, results }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      database.close();
    },
  };
}
