import { createPool, type Pool } from "mysql2/promise";
import { afterAll, beforeAll, describe, it, onTestFinished } from "vitest";
import { mysqlStorage } from "../../../src/drivers/storage/mysql.ts";
import { freshPrefix, MYSQL_URL, withMysql } from "../../_support/mysql.ts";
import { notRun } from "../../_support/not-run.ts";
import { runs } from "../../_support/runs.ts";
import { hasMaria, type MariaServer, startMaria } from "./_maria.ts";
import { exhausted, killedUnderLoad, loaded, outageCases } from "./_outages.ts";
import { RESTARTS, survivesRestarts } from "./_restarts.ts";
import { pause } from "./_workers.ts";

withMysql((pool) => {
  describe("F3: MariaDB", () => {
    const hostPool = (connectionLimit: number): Pool => {
      const made = createPool({ uri: MYSQL_URL, connectionLimit });
      onTestFinished(() => made.end());
      return made;
    };

    it("kills connections under load: nothing accepted is lost or doubled", async () => {
      const own = hostPool(6);
      const ids = new Set<number>();
      own.pool.on("connection", ({ threadId }: { threadId: number }) => ids.add(threadId));
      const killing = async () => {
        const some = [...ids];
        ids.clear();
        const ended = await Promise.allSettled(some.map((id) => pool.query(`KILL ${id}`)));
        return ended.filter(({ status }) => status === "fulfilled").length;
      };
      await killedUnderLoad(
        loaded(mysqlStorage({ pool: own, prefix: freshPrefix() })),
        runs(500, 1_500),
        killing,
        pause,
      );
    });

    outageCases(MYSQL_URL, (uri) => mysqlStorage({ uri, prefix: freshPrefix() }));

    it("has all connections of the host's pool taken: 503, and on as soon as one is free", async () => {
      const shared = hostPool(2);
      await exhausted(mysqlStorage({ pool: shared, prefix: freshPrefix(), timeoutMs: 500 }), async () => {
        const taken = await Promise.all([shared.getConnection(), shared.getConnection()]);
        return () => {
          for (const connection of taken) connection.release();
        };
      });
    });
  });
});

if (hasMaria()) {
  describe("F3: a MariaDB server of its own", () => {
    let server: MariaServer;
    beforeAll(async () => {
      server = await startMaria();
    }, 120_000);
    afterAll(() => server?.remove());

    it(`restarts ${RESTARTS} times as after a crash, under load: nothing accepted is lost or doubled`, () =>
      survivesRestarts(mysqlStorage({ uri: server.uri }), server));
  });
} else {
  notRun("F3: a MariaDB server of its own: no mariadbd was found (MARIADBD and MARIADB_INSTALL_DB name its programs)");
}
