import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { type PoolLike, postgresStorage } from "../../../src/drivers/storage/postgres.ts";
import { POSTGRES_URL } from "../../_support/postgres.ts";
import { freshSchema, withPostgres } from "../../_support/postgres-schema.ts";
import { runs } from "../../_support/runs.ts";
import type { Loaded } from "./_load.ts";
import { exhausted, killedUnderLoad, loaded as loadedOver, outageCases, proxied } from "./_outages.ts";
import { pause } from "./_workers.ts";

withPostgres((pool) => {
  describe("F3: PostgreSQL", () => {
    const loaded = (...args: Parameters<typeof postgresStorage>): Loaded => loadedOver(postgresStorage(...args));
    const hostPool = (options: pg.PoolConfig): pg.Pool => {
      const made = new pg.Pool({ connectionString: POSTGRES_URL, ...options });
      made.on("error", () => {});
      onTestFinished(() => made.end());
      return made;
    };

    it("kills connections under load: nothing accepted is lost or doubled", async () => {
      const schema = freshSchema();
      const application_name = schema.slice(0, 60);
      const own = loaded({ pool: hostPool({ application_name, max: 6 }), schema });
      const kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
      const killing = async () => (await pool.query(kill, [application_name])).rowCount ?? 0;
      await killedUnderLoad(own, runs(500, 1_500), killing, pause);
    });

    outageCases(POSTGRES_URL, (connectionString) => postgresStorage({ connectionString, schema: freshSchema() }));

    it("has all connections of the host's pool taken: 503, and on as soon as one is free", async () => {
      const shared = hostPool({ max: 2 });
      await exhausted(postgresStorage({ pool: shared, schema: freshSchema(), timeoutMs: 500 }), async () => {
        const taken = await Promise.all([shared.connect(), shared.connect()]);
        return () => taken.forEach((client) => void client.release());
      });
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
      const { proxy, url } = await proxied(POSTGRES_URL);
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
      onTestFinished(async () => void (await pool.query(`DROP OWNED BY ${user} CASCADE; DROP ROLE ${user}`)));
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
