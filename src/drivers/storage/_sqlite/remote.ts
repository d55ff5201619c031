import { createGate } from "../../../lib/gate.ts";
import { makeWay } from "../../../lib/turn.ts";
import { type CollectionName, collections } from "../../../model/collections.ts";
import { assertStorable, isStorable } from "../_rows/columns.ts";
import { checkOnly } from "../_schema/lacking.ts";
import { countSql, pageSql } from "../_sql/scan.ts";
import { holdSession } from "../_sql/session.ts";
import type { Source } from "../_sql/source.ts";
import {
  indexName,
  type Piece,
  readCounter,
  type SqlRow,
  sqliteDialect,
  type Table,
  tableName,
  tableOf,
} from "../_sql/sql.ts";
import { weighed } from "../_sql/weighed.ts";
import { StaleWriteError, type StorageDriver } from "../types.ts";
import { claimStatements, inOrder } from "./claim.ts";
import { compiler, type Statement } from "./commit.ts";
import { lacking, listSql, migrations, stepsOf } from "./migrations.ts";
import { type Beside, joiner, type Named } from "./tx.ts";

/** A SQLite that is asked, and not called. */
export interface RemoteEngine {
  /** The store's name, for messages. */
  readonly name: string;
  all(statement: Piece): Promise<readonly SqlRow[]>;
  /** All statements in one transaction. Those of a migration may take long. */
  batch(statements: readonly Piece[], migrates?: boolean): Promise<void>;
  /** The same failure with a way out, where the cause is known. */
  explain(error: unknown): unknown;
  /** Left out where a host can have no transaction. */
  readonly joins?: Omit<Named, "store"> & Pick<Beside, "isTaken">;
}

/** Rounds of a claim whose candidates others have taken meanwhile. */
const ROUNDS = 5;

const engine = {
  windowMs: { most: 50, least: 20 },
  windows: { rows: 512, counts: 8_192 },
  merges: true,
  rest: makeWay,
};

/** Fails the whole batch where the statement before it has changed nothing, and says which in the text of the error. */
const GUARD = "SELECT CASE WHEN changes() = 0 THEN json_extract('{}', ?) END";

/** A store over an engine. A commit is one batch, so no transaction stays open between two requests of it. */
export function remoteSqlite(
  { name, all, batch, explain, joins }: RemoteEngine,
  { prefix = "fb_", migrate = true }: { readonly prefix?: string | undefined; readonly migrate?: boolean | undefined },
): StorageDriver {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(prefix)) {
    throw new TypeError(`[form-backend] ${name}: prefix "${prefix}" may contain only letters, digits and _`);
  }
  const tables = new Map(Object.keys(collections).map((each) => [each, tableOf(prefix, each)]));
  const table = (collection: string): Table => {
    const found = tables.get(collection as CollectionName);
    if (!found) throw new Error(`[form-backend] unknown collection "${collection}"`);
    return found;
  };
  const compile = compiler(tableName(prefix, "counters"), table);
  const claims = claimStatements(prefix, table("jobs"));
  // Two claims of this process would choose the same jobs.
  const claiming = createGate(1);
  const asked = (statement: Piece): Promise<readonly SqlRow[]> => all(statement).catch(fail);
  const fail = (error: unknown): never => {
    throw explain(error);
  };
  const list = async (): Promise<readonly SqlRow[]> =>
    all({ sql: listSql(prefix), params: [] }).catch((error: unknown) => {
      if (/no such table/.test(textOf(error))) return [];
      throw explain(error);
    });

  async function start(): Promise<true> {
    if (!migrate) {
      await checkOnly({ store: name, database: "sqlite", place: prefix }, asked, async () => lacking(await list()));
      return true;
    }
    const wanted = lacking(await list());
    if (wanted.length === 0) return true;
    const statements = stepsOf(prefix, wanted, new Date().toISOString());
    const pieces = statements.map((sql) => ({ sql, params: [] }));
    await batch(pieces, true).catch(async (error: unknown) => {
      // Another process was faster.
      if (lacking(await list(), migrations).length > 0) fail(error);
    });
    return true;
  }

  const { open, current: opened, close } = holdSession(name, start, async () => {});

  function source(collection: string): Source {
    opened();
    const of = table(collection);
    const names = [...of.columns.split(", "), "data"];
    return {
      collection,
      codec: of,
      dialect: sqliteDialect,
      selected: { all: "*", columns: of.columns },
      from: (index) => `${of.name} INDEXED BY ${indexName(prefix, collection, index)}`,
      read: asked,
      engine: {
        ...engine,
        weighed: (places, _, sort, order, weight) =>
          weighed({ name: of.name, columns: names, join: "CROSS JOIN" }, places, sort, order, weight),
      },
    };
  }

  function within({ isTaken, ...words }: NonNullable<typeof joins>): StorageDriver["within"] {
    const beside = (): Beside => {
      opened();
      return { read: (sql) => asked({ sql, params: [] }), ...(isTaken && { isTaken }) };
    };
    const join = joiner(prefix, { store: name, ...words }, beside, explain);
    return (tx) => {
      const write = join(tx);
      return { isExclusive: true, commit: async (writes) => write(compile(writes)) };
    };
  }

  async function commit(statements: readonly Statement[]): Promise<void> {
    const guarded = statements.flatMap((statement, i) =>
      statement.stale ? [statement, { sql: GUARD, params: [`stale:${i}`] }] : [statement],
    );
    await batch(guarded).catch((error: unknown) => {
      const stale = statements[Number(/stale:(\d+)/.exec(textOf(error))?.[1] ?? -1)]?.stale;
      throw stale ? new StaleWriteError(stale.collection, stale.id) : explain(error);
    });
  }

  return {
    name,
    ...(joins && { within: within(joins) }),
    open,
    async get(collection, ids) {
      opened();
      const { name: of, decode } = table(collection);
      const sql = `SELECT * FROM ${of} WHERE id IN (SELECT value FROM json_each(?))`;
      const rows = await asked({ sql, params: [JSON.stringify(ids.filter(isStorable))] });
      const read = collection === "counters" ? readCounter : decode;
      return new Map(rows.map((row) => [row.id as string, read(row)]));
    },
    async page(collection, query) {
      if (query.after) assertStorable(query.after.id, "a position");
      return pageSql(source(collection), query);
    },
    count: async (collection, query) => countSql(source(collection), query),
    async commit(writes) {
      opened();
      if (writes.length > 0) await commit(compile(writes));
    },
    async claim(query) {
      opened();
      const now = query.now ?? Date.now();
      const until = new Date(now).toISOString();
      if (query.limit < 1 || (await asked(claims.anything(query, until))).length === 0) return { now, jobs: [] };
      const leave = await claiming.enter("");
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const choosing = claims.choose(query, until);
          let step = choosing.next([]);
          while (!step.done) step = choosing.next(await asked(step.value));
          const ids = step.value;
          if (ids.length === 0) break;
          const taken = await asked(claims.take(ids, until, new Date(now + query.leaseMs).toISOString()));
          if (taken.length > 0) return { now, jobs: inOrder(ids, taken.map(table("jobs").decode)) };
        }
        return { now, jobs: [] };
      } finally {
        leave?.();
      }
    },
    async nextDueAt(lane) {
      const [first] = await pageSql(source("jobs"), { index: "due", equals: { lane }, order: "asc", limit: 1 });
      return first ? Date.parse(String(first.value.due_at)) : null;
    },
    close,
  };
}

const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${error.cause === undefined ? "" : textOf(error.cause)}` : String(error);
