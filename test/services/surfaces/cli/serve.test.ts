import { expect, it, vi } from "vitest";
import { describeMysql, temporaryMysql } from "../../../_support/mysql.ts";
import { describePostgres, temporaryDatabase } from "../../../_support/postgres.ts";
import { describeRedis, REDIS_URL } from "../../../_support/redis.ts";
import { running } from "../../../_support/running.ts";
import { startS3 } from "../../../_support/s3-server.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

/** A database of the test's own, and the number of connections that others have to it. */
interface Shared {
  readonly url: string;
  connections(): Promise<number>;
  drop(): Promise<void>;
}

/** Two servers over one database, Redis and S3. */
async function sharedByTwo(database: Shared): Promise<void> {
  const s3 = await startS3();
  const { endpoint, bucket, accessKeyId, secretAccessKey, region } = s3.options();
  const bucketUrl = new URL(`${endpoint}/${bucket}/uploads?region=${region}`);
  Object.assign(bucketUrl, { username: accessKeyId, password: encodeURIComponent(secretAccessKey) });
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL,
    S3_URL: bucketUrl.href,
    FORM_BACKEND_SECRET: "the same for both, and long enough",
    FORM_BACKEND_TRUST_PROXY: "1",
  };
  const cwd = temporaryDirectory();
  const args = ["serve", "--port", "0", "--host", "127.0.0.1"];
  const a = await running(args, { env, cwd });
  const b = await running(args, { env, cwd });
  expect(b.first["key"]).toBeNull();
  const viaB = terminal({ env: { FORM_BACKEND_URL: b.first["url"], FORM_BACKEND_KEY: a.first["key"] } });
  const [form] = parsed((await viaB.cli("forms", "create", "--name", "Jobs", "--key", "jobs", "--json")).out);
  const body = new FormData();
  body.set("email", "ann@example.com");
  body.set("cv", new File(["seven years of it"], "cv.txt", { type: "text/plain" }));
  const posted = await fetch(`${a.first["url"]}/f/${form?.["id"]}`, { method: "POST", body });
  expect(posted.status).toBe(200);
  const [submission] = parsed((await viaB.cli("submissions", "list", "jobs", "--json")).out);
  const [file] = (submission?.["attachments"] ?? []) as { url: string }[];
  expect(await (await fetch(file?.url ?? "")).text()).toBe("seven years of it");

  const keys = await terminal({ env, cwd }).cli("keys", "list", "--json");
  expect(parsed(keys.out)).toMatchObject([{ name: "first key" }]);
  for (const server of [a, b]) expect(await server.stop()).toMatchObject({ code: 0 });
  await vi.waitFor(async () => expect(await database.connections()).toBe(0), { timeout: 15_000 });
  await s3.close();
  await database.drop();
}

describeRedis("serve by two servers shares everything: forms, keys, submissions and files", () => {
  describePostgres("on PostgreSQL", () => {
    it("with Redis and S3", { timeout: 120_000 }, async () => {
      const { url, pool, drop } = await temporaryDatabase();
      const left =
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()";
      await sharedByTwo({ url, drop, connections: async () => (await pool.query(left)).rows[0].n });
    });
  });

  describeMysql("on MariaDB", () => {
    it("with Redis and S3", { timeout: 120_000 }, async () => {
      const { url, pool, drop } = await temporaryMysql();
      const left = "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = ?";
      const connections = async () => {
        const [rows] = await pool.query(left, [new URL(url).pathname.slice(1)]);
        return Number((rows as { n: number }[])[0]?.n);
      };
      await sharedByTwo({ url, drop, connections });
    });
  });
});
