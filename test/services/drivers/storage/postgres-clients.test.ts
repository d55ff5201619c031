import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { PGlite } from "@electric-sql/pglite";
import { Pool as NeonPool, neon, neonConfig } from "@neondatabase/serverless";
import { createClient as vercelClient, createPool as vercelPool } from "@vercel/postgres";
import { drizzle } from "drizzle-orm/node-postgres";
import knexOf from "knex";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import postgres from "postgres";
import { DataSource } from "typeorm";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import WebSocket, { WebSocketServer } from "ws";
import { type PostgresPool, postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { put } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { POSTGRES_URL } from "../../../_support/postgres.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

/** As Neon's own proxy: the bytes of a WebSocket to the address in its query, and back. */
async function proxy(): Promise<{ host: string; close(): Promise<void> }> {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket, request) => {
    const [host = "", port] = (new URL(request.url ?? "", "http://proxy").searchParams.get("address") ?? "").split(":");
    const database = connect(Number(port), host);
    socket.on("message", (data) => database.write(data as Buffer));
    socket.on("close", () => database.destroy());
    database.on("data", (data) => socket.send(data));
    database.on("close", () => socket.close());
    database.on("error", () => socket.close());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

withPostgres((pool) => {
  describe("over `sql` of postgres.js", () => {
    const sql = postgres(POSTGRES_URL, { max: 10, onnotice: () => {} });
    afterAll(() => sql.end());
    for (const c of storageSuite)
      it(
        c.name,
        () => c.run(() => postgresStorage({ pool: sql, schema: freshSchema(), timeoutMs: PATIENT_MS })),
        60_000,
      );

    it("a connection that the server ends in the middle of a statement is replaced", async () => {
      const few = postgres(POSTGRES_URL, { max: 2, onnotice: () => {}, connection: { application_name: "fb-js-cut" } });
      onTestFinished(() => few.end({ timeout: 0 }));
      const storage = postgresStorage({ pool: few, schema: freshSchema(), timeoutMs: PATIENT_MS });
      await storage.open();
      for (let n = 1; n <= 4; n++) {
        await pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fb-js-cut'");
        const commit = () => storage.commit([put("forms", "a", { n })]);
        // Both connections of the pool were ended, and each may have taken a commit before it knew.
        await commit().catch(commit).catch(commit);
        expect((await storage.get("forms", ["a"])).get("a")?.value.n).toBe(n);
      }
    });

    it("a statement that takes too long keeps its connection until it ends, and nothing else waits for it", async () => {
      const few = postgres(POSTGRES_URL, { max: 2, onnotice: () => {} });
      onTestFinished(() => few.end());
      const schema = freshSchema();
      const patient = postgresStorage({ pool: few, schema, timeoutMs: PATIENT_MS });
      await patient.open();
      await patient.commit([put("forms", "a", { n: 1 }), put("forms", "b", { n: 1 })]);
      const hasty = postgresStorage({ pool: few, schema, timeoutMs: 500 });
      await hasty.open();
      const other = await pool.connect();
      await other.query("BEGIN");
      await other.query(`UPDATE ${schema}.forms SET data = '{}' WHERE id = 'a'`);
      await expect(hasty.commit([put("forms", "a", { n: 2 })])).rejects.toThrow(/did not answer within 500 ms/);
      await patient.commit([put("forms", "b", { n: 2 })]);
      await other.query("ROLLBACK");
      other.release();
      // Both connections are there again, and in no transaction.
      await Promise.all([3, 4].map((n) => patient.commit([put("forms", `c${n}`, { n })])));
      expect((await patient.get("forms", ["b", "c3", "c4"])).size).toBe(3);
    });

    it("is refused where it renames columns", async () => {
      const renaming = postgres(POSTGRES_URL, { max: 1, transform: postgres.camel });
      onTestFinished(() => renaming.end());
      await expect(postgresStorage({ pool: renaming, schema: freshSchema() }).open()).rejects.toThrow(
        "renames columns; pass one without `transform`",
      );
    });
  });

  describe("over a pool of Neon, by WebSockets", () => {
    const url = new URL(POSTGRES_URL);
    let open: Promise<{ neonPool: NeonPool; close(): Promise<void> }> | undefined;
    const opened = () =>
      (open ??= (async () => {
        const { host, close } = await proxy();
        neonConfig.webSocketConstructor = WebSocket;
        neonConfig.wsProxy = (name, port) => `${host}/?address=${name}:${port}`;
        Object.assign(neonConfig, { useSecureWebSocket: false, pipelineTLS: false, pipelineConnect: false });
        return { neonPool: new NeonPool({ connectionString: url.href, max: 10 }), close };
      })());
    afterAll(async () => {
      const { neonPool, close } = await opened();
      await neonPool.end();
      await close();
    });
    for (const c of storageSuite) {
      it(c.name, async () => {
        const { neonPool } = await opened();
        await c.run(() => postgresStorage({ pool: neonPool, schema: freshSchema(), timeoutMs: PATIENT_MS }));
      }, 300_000);
    }
  });

  describe("`pool` that is none is named", () => {
    const connectionString = POSTGRES_URL;
    it.each<[string, () => unknown, string]>([
      ["a string", () => connectionString, "is a string; pass it as `connectionString`"],
      ["nothing", () => undefined, "is undefined; pass a pool of pg"],
      ["a number", () => 5, "is 5; pass a pool of pg"],
      ["a date", () => new Date(0), "is an object of the class Date; pass a pool of pg"],
      ["a `Client` of pg", () => new pg.Client({ connectionString }), "is a single `Client`; pass a `Pool`"],
      ["a client of Vercel", () => vercelClient({ connectionString }), "is a single `Client`; pass a `Pool`"],
      ["Neon over HTTP", () => neon("postgres://user:pass@host.neon.tech/db"), "is Neon over HTTP"],
      ["Drizzle", () => drizzle({ client: pool }), "is Drizzle; pass the pool that it was made with (`db.$client`)"],
      ["Kysely", () => new Kysely({ dialect: new PostgresDialect({ pool }) }), "is Kysely; pass the pool"],
      ["Knex", () => knexOf({ client: "pg" }), "is Knex; pass a pool of pg beside it"],
      ["TypeORM", () => new DataSource({ type: "postgres" }), "is a `DataSource` of TypeORM; pass the pool"],
      ["a pool of MySQL", () => ({ getConnection() {} }), "is a pool of MySQL; use mysqlStorage"],
    ])("%s", (_, given, message) => {
      expect(() => postgresStorage({ pool: given() as PostgresPool })).toThrow(
        expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) as unknown }),
      );
    });

    it("a client out of a pool", async () => {
      const client = await pool.connect();
      expect(() => postgresStorage({ pool: client as never })).toThrow(
        "is a client out of a pool; pass the pool itself",
      );
      client.release();
    });

    it("a connection or a transaction of postgres.js", async () => {
      const sql = postgres(connectionString, { max: 1 });
      const reserved = await sql.reserve();
      expect(() => postgresStorage({ pool: reserved as never })).toThrow("is a reserved connection of postgres.js");
      reserved.release();
      await sql.begin((tx) => {
        expect(() => postgresStorage({ pool: tx as never })).toThrow("is a transaction of postgres.js; pass `sql`");
      });
      await sql.end();
    });
  });

  it("Vercel's pool has the shape of pg's", async () => {
    const given = vercelPool({ connectionString: "postgres://user:pass@host-pooler.neon.tech/db" });
    const storage = postgresStorage({ pool: given });
    expect(storage.readers).toBe(4);
    await given.end();
  });
});

describe("postgresStorage over a PGlite", () => {
  let database: Promise<PGlite> | undefined;
  const opened = () => (database ??= PGlite.create());
  afterAll(async () => (await opened()).close());
  for (const c of storageSuite) {
    it(c.name, async () => {
      const db = await opened();
      await c.run(() => postgresStorage({ pool: db, schema: freshSchema(), timeoutMs: PATIENT_MS }));
    }, 300_000);
  }

  it("a host's statements take no part in our transactions, and wait for their end", async () => {
    const db = await opened();
    const schema = freshSchema();
    const storage = postgresStorage({ pool: db, schema, timeoutMs: PATIENT_MS });
    await storage.open();
    await db.query("CREATE TABLE own (n integer)");
    const writes = Array.from({ length: 600 }, (_, n) => put("forms", `f${n}`, { n }));
    await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => db.query("INSERT INTO own VALUES ($1)", [n])),
      storage.commit(writes),
      storage.commit([put("forms", "f0", { n: 1 }, null as never)]).catch(() => {}),
    ]);
    const { rows } = await db.query<{ n: number }>("SELECT count(*)::int AS n FROM own");
    expect(rows[0]?.n).toBe(20);
    await db.query("DROP TABLE own");
  });

  it("a transaction of it is refused as `pool`", async () => {
    const db = await opened();
    await db.transaction(async (tx) => {
      expect(() => postgresStorage({ pool: tx as never })).toThrow(
        "is a transaction of PGlite; pass the `PGlite` itself",
      );
    });
  });
});
