import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresStorage } from "../../../src/drivers/storage/postgres.ts";
import { notRun } from "../../_support/not-run.ts";
import { type Cluster, serverPrograms, startCluster } from "./_cluster.ts";
import { loadedBackend } from "./_load.ts";
import { RESTARTS, survivesRestarts } from "./_restarts.ts";
import { pause } from "./_workers.ts";

const bin = serverPrograms();

if (!bin) {
  notRun("F3: a PostgreSQL server of its own: no initdb was found (POSTGRES_BIN names its directory)");
} else {
  describe("F3: a PostgreSQL server of its own", () => {
    let cluster: Cluster;
    beforeAll(async () => {
      cluster = await startCluster(bin);
    });
    afterAll(() => cluster?.remove());

    it(`restarts ${RESTARTS} times as after a crash, under load: nothing accepted is lost or doubled`, () =>
      survivesRestarts(postgresStorage({ connectionString: cluster.url() }), cluster));

    it("refuses a wrong password, user or database: 503, and the log says what to do", async () => {
      const attempts = [
        [cluster.url("postgres", "wrong"), /refuses the user or password; check them/],
        [cluster.url("nobody"), /refuses the user or password; check them/],
        [cluster.url().replace(/postgres$/, "nowhere"), /the database does not exist; create it, or name another one/],
      ] as const;
      for (const [connectionString, message] of attempts) {
        const own = loadedBackend(postgresStorage({ connectionString }));
        expect((await own.backend.fetch(new Request("http://localhost/forms/v1/me"))).status).toBe(503);
        expect(own.errors.join("\n")).toMatch(message);
        expect(own.errors.join("\n"), "without the password").not.toMatch(/wrong|right/);
        await own.backend.close();
      }
    });

    it("has no connection left for us: 503, and on as soon as there is one", async () => {
      const own = loadedBackend(postgresStorage({ connectionString: cluster.url(), schema: "crowded" }));
      await own.form();
      await own.backend.close();
      const again = loadedBackend(postgresStorage({ connectionString: cluster.url("postgres"), schema: "crowded" }));
      const { default: pg } = await import("pg");
      const crowd = Array.from({ length: 40 }, () => new pg.Client({ connectionString: cluster.url() }));
      await Promise.allSettled(crowd.map((client) => client.connect()));
      const ask = () => again.backend.fetch(new Request("http://localhost/forms/v1/me"));
      expect((await ask()).status).toBe(503);
      expect(again.errors.join("\n")).toMatch(/the server has no connection left; lower the pool's `max`/);
      await Promise.allSettled(crowd.map((client) => client.end()));
      for (let tries = 0; (await ask()).status === 503 && tries < 100; tries++) await pause(50);
      expect((await ask()).status).toBe(401);
      await again.backend.close();
    });
  });
}
