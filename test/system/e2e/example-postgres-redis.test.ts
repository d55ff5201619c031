import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { beforeAll, expect, test, vi } from "vitest";
import { freePort } from "../../_support/port.ts";
import { describePostgres, POSTGRES_URL, postgresPool } from "../../_support/postgres.ts";
import { describeRedis, REDIS_URL, removeKeys } from "../../_support/redis.ts";
import { built, ROOT, startExample } from "./_example.ts";

const services = { POSTGRES_URL, REDIS_URL };

describePostgres("the example with PostgreSQL and Redis", () => {
  describeRedis("on two processes", () => {
    beforeAll(built);

    test("loses nothing when either process is killed at work", async () => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ["scripts/example.mjs", "postgres-redis", "prove"],
        { cwd: ROOT, env: { ...process.env, ...services, POSTS: "600" } },
      );
      expect(stdout).toMatch(/^killed {8}3 times$/m);
      expect(stdout).toMatch(/^accepted {6}600 of 600, after \d+ repeated posts$/m);
      expect(stdout).toMatch(/^stored {8}600$/m);
      expect(stdout).toMatch(/^webhooks {6}600, and \d+ of them a second time$/m);
      expect(stdout).toMatch(/^lost {10}0$/m);
      expect(stdout.match(/ended with SIGKILL/g)).toHaveLength(3);
    });

    test("starts with one command, takes posts, and stops", async () => {
      const schema = `form_backend_example_${randomBytes(4).toString("hex")}`;
      const ports = [await freePort(), await freePort()];
      const running = await startExample("postgres-redis", ".", {
        ...services,
        SCHEMA: schema,
        APP_PORTS: ports.join(),
      });
      try {
        await vi.waitFor(() => expect(running.printed()).toContain("Try: curl"));
        const endpoint = /curl (\S+)/.exec(running.printed())?.[1] ?? "";
        const post = async (n: number) =>
          (await fetch(endpoint, { method: "POST", body: new URLSearchParams({ n: String(n) }) })).status;
        const statuses = [];
        for (let n = 0; n < 6; n++) statuses.push(await post(n));
        expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
        expect((await running.end("SIGTERM")).code).toBe(0);
      } finally {
        await running.end("SIGKILL");
        const pool = postgresPool();
        await pool.query(`drop schema if exists ${schema} cascade`);
        await pool.end();
        await removeKeys(schema);
      }
    });
  });
});
