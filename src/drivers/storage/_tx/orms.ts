import type { SqlRow, SqlValue } from "../_sql/sql.ts";
import { clientOf, NEON_HTTP } from "./clients.ts";
import { EndedError, type Given, has, type Kind, type Link, members, nameOf, RefusedError } from "./link.ts";

/** Looks at what was given as `tx`, by its shape alone. Throws a `RefusedError` that names it and what is possible. */
export function recognise(tx: unknown): Given {
  if (has(tx, "$queryRawUnsafe", "$executeRawUnsafe")) return prisma(tx as Prisma);
  if (has(tx, "getTransactionContext")) return mikroOrm(tx as { getTransactionContext(): unknown });
  if (has(tx, "executeQuery", "selectFrom")) return kysely(tx as Kysely);
  if (has(tx, "raw", "transaction") && members(tx).client !== undefined) return knex(tx as Knex);
  if (typeof members(tx).isTransactionActive === "boolean" && has(tx, "query", "connect")) {
    return typeOrm(tx as QueryRunner, "a `QueryRunner` of TypeORM");
  }
  if (has(tx, "getRepository", "query")) return entityManager(tx as { queryRunner?: QueryRunner | undefined });
  if (typeof members(tx).session === "object" && has(tx, "transaction")) return drizzle(tx as Drizzle);
  const client = clientOf(tx);
  if (client) return client;
  throw new RefusedError(`is ${nameOf(tx)}`);
}

/** Looks further inside: the client that an ORM's transaction runs on. */
function within(client: unknown, name: string): Given {
  const found = clientOf(client, name);
  if (!found) throw new RefusedError(`is ${name}, on a connection of another kind (${nameOf(client)})`);
  return found;
}

interface Drizzle {
  readonly session: { readonly client?: unknown; readonly tx?: unknown };
}

function drizzle(tx: Drizzle): Given {
  const kinds = kindsOf(tx.session);
  if (kinds.some((kind) => /^NeonHttp/.test(kind))) throw new RefusedError(NEON_HTTP);
  return within(tx.session.tx ?? tx.session.client, "a transaction of Drizzle");
}

/** Drizzle's own names of the classes of an object, which a bundler doesn't change. */
function kindsOf(given: object): string[] {
  const names: string[] = [];
  for (let at: object | null = given; at; at = Object.getPrototypeOf(at) as object | null) {
    const name = members(at.constructor)[Symbol.for("drizzle:entityKind")];
    if (typeof name === "string") names.push(name);
  }
  return names;
}

interface Kysely {
  readonly isTransaction: boolean;
  executeQuery(query: object): Promise<{ rows: SqlRow[]; numAffectedRows?: bigint }>;
  getExecutor?(): { readonly adapter?: { supportsTransactionalDdl?: boolean; supportsReturning?: boolean } };
  withoutPlugins(): Kysely;
}

function kysely(tx: Kysely): Given {
  if (!tx.isTransaction) {
    throw new RefusedError("is `Kysely` itself; pass the `tx` of `db.transaction().execute(async (tx) => …)`");
  }
  const { supportsTransactionalDdl, supportsReturning } = tx.getExecutor?.().adapter ?? {};
  const kind: Kind | null =
    supportsReturning === undefined
      ? null
      : supportsTransactionalDdl
        ? "PostgreSQL"
        : supportsReturning
          ? "SQLite"
          : "MySQL";
  const bare = tx.withoutPlugins();
  const execute = (sql: string, parameters: readonly SqlValue[] = []) => {
    const query = { kind: "RawNode", sqlFragments: [sql], parameters: [] };
    return bare.executeQuery({ sql, parameters, query, queryId: { queryId: "form-backend" } });
  };
  const link: Link = {
    connection: tx,
    run: async (sql, params) => Number((await execute(sql, params)).numAffectedRows ?? 0),
    read: async (sql, params) => (await execute(sql, params)).rows,
    hasEnded: (error) => /already (been )?(committed|rolled back)/i.test(String(members(error).message)),
  };
  return { name: "a transaction of Kysely", kind, open: async () => link };
}

interface Knex {
  readonly isTransaction?: boolean;
  isCompleted?(): boolean;
  raw(sql: string): Promise<unknown>;
  readonly client: { readonly dialect?: string; acquireConnection(): Promise<unknown> };
}

const KNEX_KINDS: Readonly<Record<string, Kind>> = { postgresql: "PostgreSQL", mysql: "MySQL", sqlite3: "SQLite" };

function knex(tx: Knex): Given {
  if (!tx.isTransaction || !tx.isCompleted) {
    throw new RefusedError("is `knex` itself; pass the `tx` of `knex.transaction(async (tx) => …)`");
  }
  const name = "a transaction of Knex";
  return {
    name,
    kind: KNEX_KINDS[tx.client.dialect ?? ""] ?? null,
    async open() {
      if (tx.isCompleted?.()) throw new EndedError(name, { cause: await failureOf(() => tx.raw("SELECT 1")) });
      return within(await tx.client.acquireConnection(), name).open();
    },
  };
}

interface QueryRunner {
  readonly isTransactionActive: boolean;
  readonly isReleased?: boolean;
  connect(): Promise<unknown>;
  query(sql: string): Promise<unknown>;
  commitTransaction(): Promise<void>;
}

function typeOrm(runner: QueryRunner, name: string): Given {
  return {
    name,
    kind: typeOrmKind(runner),
    async open() {
      if (runner.isReleased) throw new EndedError(name, { cause: await failureOf(() => runner.query("SELECT 1")) });
      // Without a transaction it sends nothing, and says so.
      if (!runner.isTransactionActive)
        throw new EndedError(name, { cause: await failureOf(() => runner.commitTransaction()) });
      return within(await runner.connect(), name).open();
    },
  };
}

function typeOrmKind(runner: QueryRunner): Kind | null {
  const { dataSource = members(runner).connection } = members(runner);
  const type = String(members(members(dataSource).options).type);
  if (/postgres/.test(type)) return "PostgreSQL";
  if (/mysql|mariadb/.test(type)) return "MySQL";
  return /sqlite|sqljs|libsql/.test(type) ? "SQLite" : null;
}

function entityManager({ queryRunner }: { queryRunner?: QueryRunner | undefined }): Given {
  const name = "an `EntityManager` of TypeORM";
  if (queryRunner) return typeOrm(queryRunner, name);
  throw new RefusedError(
    `is ${name} without a transaction; pass the \`tx\` of \`dataSource.transaction(async (tx) => …)\``,
  );
}

function mikroOrm(em: { getTransactionContext(): unknown }): Given {
  const name = "an `EntityManager` of MikroORM";
  const context = em.getTransactionContext();
  if (context) return { ...recognise(context), name };
  throw new RefusedError(`is ${name} without a transaction; pass the \`tx\` of \`em.transactional(async (tx) => …)\``);
}

interface Prisma {
  readonly _activeProvider?: string;
  $executeRawUnsafe(sql: string, ...params: readonly SqlValue[]): Promise<number>;
  $queryRawUnsafe(sql: string, ...params: readonly SqlValue[]): Promise<SqlRow[]>;
}

const PRISMA_KINDS: Readonly<Record<string, Kind>> = { postgresql: "PostgreSQL", mysql: "MySQL", sqlite: "SQLite" };

function prisma(tx: Prisma): Given {
  // Version 7 marks transactions by the first, older ones by the second.
  const scope = members(members(tx)[Symbol.for("prisma.client.transaction.scope_context")]);
  if (scope.kind !== "nested" && members(tx)[Symbol.for("prisma.client.transaction.id")] === undefined) {
    throw new RefusedError("is `PrismaClient` itself; pass the `tx` of `prisma.$transaction(async (tx) => …)`");
  }
  const link: Link = {
    connection: tx,
    run: (sql, params = []) => tx.$executeRawUnsafe(sql, ...params).catch(asServerError),
    read: (sql, params = []) => tx.$queryRawUnsafe(sql, ...params).catch(asServerError),
    hasEnded: (error) => members(error).code === "P2028",
  };
  return {
    name: "a transaction of Prisma",
    kind: PRISMA_KINDS[tx._activeProvider ?? ""] ?? null,
    open: async () => link,
  };
}

/** Prisma wraps the failure of a server, whose details stand further inside. */
function asServerError(error: unknown): never {
  const adapter = members(members(members(error).meta).driverAdapterError);
  const { originalCode, originalMessage, ...cause } = members(adapter.cause);
  if (adapter.cause === undefined) throw error;
  throw Object.assign(new Error(String(originalMessage ?? cause.message), { cause: error }), cause, {
    ...(originalCode !== undefined && { code: originalCode, errno: Number(originalCode) }),
  });
}

/** The error that work fails with. */
async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    return void (await work());
  } catch (error) {
    return error;
  }
}
