import { expect, it } from "vitest";
import { describeMysql, temporaryMysql } from "../../../_support/mysql.ts";
import { describePostgres, temporaryDatabase } from "../../../_support/postgres.ts";
import { describeRedis, REDIS_URL } from "../../../_support/redis.ts";
import { startS3 } from "../../../_support/s3-server.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

describePostgres("doctor", () => {
  describeRedis("with Redis and S3", () => {
    it("writes, reads and removes in each, leaves nothing, and compares the database's clock", {
      timeout: 60_000,
    }, async () => {
      const [database, s3] = [await temporaryDatabase(), await startS3()];
      const { endpoint, bucket, accessKeyId, secretAccessKey, region } = s3.options();
      const place = new URL(`${endpoint}/${bucket}?region=${region}`);
      Object.assign(place, { username: accessKeyId, password: encodeURIComponent(secretAccessKey) });
      const env = {
        DATABASE_URL: database.url,
        REDIS_URL,
        S3_URL: place.href,
        FORM_BACKEND_SECRET: "0123456789abcdefghijklmnopqrstuv",
      };
      const doctor = (now: () => number) => terminal({ env, cwd: temporaryDirectory(), now }).cli("doctor", "--json");
      const { code, out } = await doctor(() => Date.now());
      const levels = Object.fromEntries(parsed(out).map(({ check, level }) => [check, level]));
      expect(levels).toMatchObject({
        pg: "ok",
        bullmq: "ok",
        ioredis: "ok",
        secret: "ok",
        storage: "ok",
        "store's clock": "ok",
        S3: "ok",
        Redis: "ok",
      });
      expect(code).toBe(0);
      expect((await database.pool.query("select id from form_backend.marks where id like 'doctor%'")).rows).toEqual([]);
      const ahead = await doctor(() => Date.now() + 3_600_000);
      expect(ahead.code).toBe(1);
      expect(ahead.out).toMatch(/3600 s behind/);
      const wrong = { ...env, S3_URL: place.href.replace(secretAccessKey, "wrong") };
      const refused = await terminal({ env: wrong, cwd: temporaryDirectory(), now: () => Date.now() }).cli(
        "doctor",
        "--json",
      );
      expect(parsed(refused.out).find(({ check }) => check === "S3")).toMatchObject({ level: "failed" });
      await s3.close();
      await database.drop();
    });
  });
});

describeMysql("doctor", () => {
  it("writes, reads and removes in MariaDB, leaves nothing, and compares its clock", { timeout: 60_000 }, async () => {
    const database = await temporaryMysql();
    const env = { DATABASE_URL: database.url, FORM_BACKEND_SECRET: "0123456789abcdefghijklmnopqrstuv" };
    const doctor = (now: () => number) => terminal({ env, cwd: temporaryDirectory(), now }).cli("doctor", "--json");
    const { code, out } = await doctor(() => Date.now());
    const levels = Object.fromEntries(parsed(out).map(({ check, level }) => [check, level]));
    expect(levels).toMatchObject({ mysql2: "ok", secret: "ok", storage: "ok", "store's clock": "ok" });
    expect(levels).not.toHaveProperty("pg");
    expect(code).toBe(0);
    const marks = `\`${new URL(database.url).pathname.slice(1)}\`.fb_marks`;
    expect((await database.pool.query(`SELECT id FROM ${marks} WHERE id LIKE 'doctor%'`))[0]).toEqual([]);
    const ahead = await doctor(() => Date.now() + 3_600_000);
    expect(ahead.code).toBe(1);
    expect(ahead.out).toMatch(/3600 s behind/);
    await database.drop();
  });
});
