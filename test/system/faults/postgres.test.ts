import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { type PoolLike, postgresStorage } from "../../../src/drivers/storage/postgres.ts";
import { POSTGRES_URL } from "../../_support/postgres.ts";
import { freshSchema, withPostgres } from "../../_support/postgres-schema.ts";
import { proxyTo, type TcpProxy } from "../../_support/proxy.ts";
import { runs } from "../../_support/runs.ts";
import { type Loaded, type LoadResult, loadedBackend } from "./_load.ts";
import { pause } from "./_workers.ts";

const CLIENTS = 16;

/** Everything accepted is stored once, under the id that was answered. */
async function expectNothingLost(loaded: Loaded, { accepted }: LoadResult): Promise<void> {
  const stored = await loaded.stored();
  const expected = [...accepted].map(([n, id]) => [String(n), [id]] as const);
  expect(new Map([...stored].filter(([n]) => accepted.has(Number(n))))).toEqual(new Map(expected));
}

withPostgres((pool) => {
  describe("F3: PostgreSQL", () => {
    const closing: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close();
    });
    const { hostname, port } = new URL(POSTGRES_URL);
    async function proxied(): Promise<{ proxy: TcpProxy; url: string }> {
      const proxy = await proxyTo(hostname, Number(port || 5432));
      closing.push(() => proxy.close());
      const url = new URL(POSTGRES_URL);
      url.hostname = "127.0.0.1";
      url.port = String(proxy.port);
      return { proxy, url: url.href };
    }
    function loaded(...args: Parameters<typeof postgresStorage>): Loaded {
      const made = loadedBackend(postgresStorage(...args));
      closing.push(() => made.backend.close({ graceMs: 100 }));
      return made;
    }
    const hostPool = (options: pg.PoolConfig): pg.Pool => {
      const made = new pg.Pool({ connectionString: POSTGRES_URL, ...options });
      made.on("error", () => {});
      closing.push(() => made.end());
      return made;
    };

    it("kills connections under load: nothing accepted is lost or doubled", async () => {
      const schema = freshSchema();
      const application_name = schema.slice(0, 60);
      const own = loaded({ pool: hostPool({ application_name, max: 6 }), schema });
      await own.form();
      const kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
      let killed = 0;
      let loading = true;
      const killer = (async () => {
        for (let before = -1; loading; await pause(25)) {
          // A busy machine would otherwise end each connection before it has done any work.
          if (own.accepted() === before) continue;
          before = own.accepted();
          killed += (await pool.query(kill, [application_name])).rowCount ?? 0;
        }
      })();
      const result = await own.load(runs(500, 1_500), CLIENTS);
      loading = false;
      await killer;
      console.log(
        `F3, ${killed} connections killed: ${JSON.stringify([...result.statuses])}, slowest ${Math.round(result.slowestMs)} ms`,
      );
      expect(killed).toBeGreaterThan(50);
      expect([...result.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      await expectNothingLost(own, result);
    });

    it("is cut off and comes back: 503 at once, and no restart", async () => {
      const { proxy, url } = await proxied();
      const own = loaded({ connectionString: url, schema: freshSchema() });
      expect((await own.post(0)).status).toBe(200);
      await proxy.cut();
      const refused = await Promise.all(Array.from({ length: 32 }, (_, n) => own.post(n + 1)));
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
      expect(own.errors.join("\n")).toMatch(
        /storage postgres: .*postgres: the (connection failed|server can't be reached)/,
      );
      await proxy.restore();
      const took = await own.recovery(1);
      console.log(
        `F3, network cut: 503 within ${Math.round(Math.max(...refused.map(({ ms }) => ms)))} ms, back after ${Math.round(took)} ms`,
      );
      expect(took).toBeLessThan(15_000);
      await expectNothingLost(own, await own.load(50, CLIENTS));
    });

    it("goes silent behind connections that stay open: 503 in time, and no restart", async () => {
      const { proxy, url } = await proxied();
      const own = loaded({ connectionString: url, schema: freshSchema() });
      // Many connections, so that many are half open afterwards.
      const before = await own.load(200, 64);
      proxy.silence();
      const refused = await Promise.all(Array.from({ length: 32 }, (_, n) => own.post(1_000 + n)));
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
      expect(own.errors.join("\n")).toMatch(
        /the server did not answer within 4000 ms|no connection (in time|within 4000 ms)/,
      );
      await proxy.restore();
      const took = await own.recovery(1_000);
      console.log(
        `F3, half open: 503 within ${Math.round(Math.max(...refused.map(({ ms }) => ms)))} ms, back after ${Math.round(took)} ms`,
      );
      expect(Math.max(...refused.map(({ ms }) => ms))).toBeLessThan(15_000);
      expect(took).toBeLessThan(15_000);
      await expectNothingLost(own, before);
    });

    it("is not there at the start, and is used as soon as it is", async () => {
      const { proxy, url } = await proxied();
      await proxy.cut();
      const own = loaded({ connectionString: url, schema: freshSchema() });
      const request = () =>
        own.backend.fetch(new Request("http://localhost/forms/v1/me", { headers: { authorization: "Bearer x" } }));
      expect((await request()).status).toBe(503);
      expect(own.errors.join("\n")).toMatch(/the server can't be reached; make sure it is running/);
      await proxy.restore();
      expect((await request()).status).toBe(401);
    });

    it("has all connections of the host's pool taken: 503, and on as soon as one is free", async () => {
      const shared = hostPool({ max: 2 });
      const own = loaded({ pool: shared, schema: freshSchema(), timeoutMs: 500 });
      expect((await own.post(0)).status).toBe(200);
      const taken = await Promise.all([shared.connect(), shared.connect()]);
      expect((await own.post(1)).status).toBe(503);
      expect(own.errors.join("\n")).toMatch(
        /no connection within 500 ms: .*all of the pool are taken \(raise its `max`/,
      );
      for (const client of taken) client.release();
      await own.recovery(1);
      expect(shared.totalCount).toBeLessThanOrEqual(2);
      // Long enough for a slow machine to make the one connection.
      const impatient = hostPool({ max: 1, connectionTimeoutMillis: 1_000 });
      const other = loaded({ pool: impatient, schema: freshSchema() });
      await other.form();
      const only = await impatient.connect();
      expect((await other.post(1)).status).toBe(503);
      expect(other.errors.join("\n")).toMatch(/no connection in time: .*all of the pool are taken/);
      only.release();
      await other.recovery(1);
    });

    it("does not greet a new connection before the host's pool gives up: 503 saying so, and on as soon as it does", async () => {
      const { proxy, url } = await proxied();
      const own = loaded({
        pool: hostPool({ connectionString: url, connectionTimeoutMillis: 1_000 }),
        schema: freshSchema(),
      });
      proxy.silence();
      const request = () =>
        own.backend.fetch(new Request("http://localhost/forms/v1/me", { headers: { authorization: "Bearer x" } }));
      expect((await request()).status).toBe(503);
      expect(own.errors.join("\n")).toMatch(/no connection in time: the server does not answer/);
      await proxy.restore();
      expect((await request()).status).toBe(401);
    });

    it("has its pool ended under us: 503 saying so, and on with the next pool", async () => {
      let current = hostPool({ max: 4 });
      const swapped: PoolLike = { connect: () => current.connect() };
      const own = loaded({ pool: swapped, schema: freshSchema() });
      expect((await own.post(0)).status).toBe(200);
      const ended = current;
      current = new pg.Pool({ connectionString: POSTGRES_URL, max: 4 });
      await current.end();
      expect((await own.post(1)).status).toBe(503);
      expect(own.errors.join("\n")).toMatch(/the pool was ended; pass one that lives as long as the backend/);
      current = ended;
      expect((await own.post(1)).status).toBe(200);
    });

    it("takes the rights away, or the tables, and gives them back", async () => {
      const schema = freshSchema();
      const user = `${schema}_user`;
      await pool.query(`CREATE ROLE ${user} LOGIN; CREATE SCHEMA ${schema} AUTHORIZATION ${user}`);
      const url = Object.assign(new URL(POSTGRES_URL), { username: user });
      const own = loaded({ connectionString: url.href, schema });
      expect((await own.post(0)).status).toBe(200);
      await pool.query(`REVOKE INSERT ON ALL TABLES IN SCHEMA ${schema} FROM ${user}`);
      expect((await own.post(1)).status).toBe(503);
      expect(own.errors.join("\n")).toMatch(/the user lacks rights on the schema .*; grant them/);
      expect((await own.backend.submissions.list(await own.form())).data, "reading goes on").toHaveLength(1);
      await pool.query(`GRANT INSERT ON ALL TABLES IN SCHEMA ${schema} TO ${user}`);
      expect((await own.post(1)).status).toBe(200);

      await pool.query(`ALTER SCHEMA ${schema} RENAME TO ${schema}_away`);
      await pause(1_000);
      expect((await own.post(2)).status).toBe(503);
      expect(own.errors.join("\n")).toMatch(/are missing or altered; name the right schema/);
      await pool.query(`ALTER SCHEMA ${schema}_away RENAME TO ${schema}`);
      expect((await own.post(2)).status).toBe(200);
      closing.unshift(() => pool.query(`DROP OWNED BY ${user} CASCADE; DROP ROLE ${user}`));
    });

    it("lets a session only read: refused at the start, saying so", async () => {
      const options = "-c default_transaction_read_only=on";
      const own = loaded({ pool: hostPool({ options }), schema: freshSchema() });
      await expect(own.backend.ready()).rejects.toThrow(
        /is read-only; connect to the primary, with a user that may write/,
      );
      expect((await own.backend.fetch(new Request("http://localhost/forms/v1/me"))).status).toBe(503);
    });
  });
});
