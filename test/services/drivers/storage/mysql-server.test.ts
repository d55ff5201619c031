import { setTimeout } from "node:timers/promises";
import { createPool, type Pool } from "mysql2/promise";
import { describe, expect, it, onTestFinished } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { commitMany, idsOf, job, padded, put, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { freshPrefix, MYSQL_URL, temporaryMysql, withMysql } from "../../../_support/mysql.ts";
import { PATIENT_MS } from "../../../_support/postgres-schema.ts";

/** A pool whose server says something else of itself. */
function saying(pool: Pool, changes: Record<string, unknown>) {
  return {
    async getConnection() {
      const connection = await pool.getConnection();
      return {
        connection: connection.connection,
        release: () => connection.release(),
        destroy: () => connection.destroy(),
        async query(options: { sql: string }) {
          const [rows, fields] = await connection.query(options as never);
          if (!Array.isArray(rows) || !/SELECT (VERSION|@@|default_)/.test(options.sql)) return [rows, fields];
          return [rows.map((row) => ({ ...row, ...changes })), fields];
        },
      };
    },
  };
}

withMysql((pool) => {
  describe("mysqlStorage opens", () => {
    it.each<[string, Record<string, unknown>, RegExp]>([
      ["an old MariaDB", { version: "10.5.27-MariaDB" }, /is 10\.5\.27-MariaDB; use MariaDB 10\.6, MySQL 8\.0\.19/],
      ["an old MySQL", { version: "5.7.44-log" }, /is 5\.7\.44-log; use MariaDB 10\.6/],
      ["MySQL 8.0.18", { version: "8.0.18" }, /is 8\.0\.18; use/],
      ["a replica", { read_only: 1 }, /the server is read-only, as a replica is; connect to the primary/],
      ["small packets", { packet: 1_048_576 }, /run: SET GLOBAL max_allowed_packet = 67108864/],
      ["no strict mode", { mode: "NO_ENGINE_SUBSTITUTION" }, /run: SET GLOBAL sql_mode = CONCAT/],
      ["escapes of another kind", { mode: "STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES" }, /REPLACE\(@@GLOBAL\.sql_mode/],
      ["connections in latin1", { charsets: "latin1 latin1 latin1" }, /option charset: "utf8mb4"/],
      ["a binary log of statements", { log_bin: 1, binlog: "STATEMENT" }, /SET GLOBAL binlog_format = 'MIXED'/],
    ])("no server with %s", async (_, changes, message) => {
      await expect(mysqlStorage({ pool: saying(pool, changes), prefix: freshPrefix() }).open()).rejects.toThrow(
        message,
      );
    });

    it.each<[string, Record<string, unknown>, RegExp]>([
      ["a late log", { flush: 2 }, /run: SET GLOBAL innodb_flush_log_at_trx_commit = 1/],
      [
        "a clock an hour behind",
        { clock: Date.now() - 3_600_000 },
        /clock is 3\d{3} s behind .* timedatectl set-ntp true/,
      ],
      ["a clock an hour ahead", { clock: Date.now() + 3_600_000 }, /clock is 3\d{3} s ahead of this machine's/],
      ["a database in latin1", { charset: "latin1" }, /run: ALTER DATABASE `test` CHARACTER SET utf8mb4/],
    ])("%s with a warning", async (_, changes, message) => {
      const warned: string[] = [];
      const listen = ({ message: text }: Error) => void warned.push(text);
      process.on("warning", listen);
      onTestFinished(() => void process.off("warning", listen));
      const storage = mysqlStorage({ pool: saying(pool, changes), prefix: freshPrefix() });
      await storage.open();
      await new Promise((resolve) => setImmediate(resolve));
      expect(warned.join("\n")).toMatch(message);
    });

    it("a server whose default engine has no transactions, and a session without strict mode is refused", async () => {
      const own = createPool({ uri: MYSQL_URL, connectionLimit: 2 });
      onTestFinished(() => own.end());
      own.pool.on("connection", (connection) => connection.query("SET default_storage_engine = Aria"));
      const prefix = freshPrefix();
      const storage = mysqlStorage({ pool: own, prefix, timeoutMs: PATIENT_MS });
      await storage.open();
      const [engines] = await pool.query(
        "SELECT DISTINCT engine AS engine FROM information_schema.tables WHERE table_schema = DATABASE() AND LEFT(table_name, ?) = ?",
        [prefix.length, prefix],
      );
      expect(engines).toEqual([{ engine: "InnoDB" }]);
      const loose = createPool({ uri: MYSQL_URL, connectionLimit: 2 });
      onTestFinished(() => loose.end());
      loose.pool.on("connection", (connection) => connection.query("SET sql_mode = ''"));
      await expect(mysqlStorage({ pool: loose, prefix }).open()).rejects.toThrow(/run: SET GLOBAL sql_mode = CONCAT/);
    });

    it("a database in latin1, and keeps what it is given", async () => {
      const { url, drop } = await temporaryMysql("latin1");
      const own = createPool({ uri: url, connectionLimit: 2 });
      onTestFinished(async () => {
        await own.end();
        await drop();
      });
      const storage = mysqlStorage({ pool: own, timeoutMs: PATIENT_MS });
      await storage.open();
      await storage.commit([put("forms", "ünïcödé 🙂", { name: "日本語 🙂" })]);
      expect((await storage.get("forms", ["ünïcödé 🙂"])).get("ünïcödé 🙂")?.value.name).toBe("日本語 🙂");
    });

    it("no tables that were altered", async () => {
      const prefix = freshPrefix();
      await mysqlStorage({ pool, prefix }).open();
      await pool.query(`ALTER TABLE ${prefix}webhook_states ENGINE = Aria`);
      await expect(mysqlStorage({ pool, prefix }).open()).rejects.toThrow(
        /run: ALTER TABLE `\w+webhook_states` ENGINE = InnoDB/,
      );
      await pool.query(`ALTER TABLE ${prefix}webhook_states ENGINE = InnoDB`);
      await pool.query(`ALTER TABLE ${prefix}forms CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`);
      await expect(mysqlStorage({ pool, prefix }).open()).rejects.toThrow(
        /ids of \w+forms compare by utf8mb4_general_ci/,
      );
    });

    it("no database without rights on it", async () => {
      const prefix = freshPrefix();
      await mysqlStorage({ pool, prefix }).open();
      const user = `${prefix}reader`;
      await pool.query(`CREATE USER '${user}'@'%' IDENTIFIED BY 'right'`);
      await pool.query(`GRANT SELECT ON test.* TO '${user}'@'%'`);
      const uri = new URL(MYSQL_URL);
      [uri.username, uri.password] = [user, "right"];
      const reader = createPool(uri.href);
      onTestFinished(async () => {
        await reader.end();
        await pool.query(`DROP USER '${user}'@'%'`);
      });
      await expect(mysqlStorage({ pool: reader, prefix }).open()).rejects.toThrow(/the user lacks rights; run: GRANT/);
    });

    it("at once from many processes", async () => {
      const prefix = freshPrefix();
      const stores = Array.from({ length: 6 }, () => mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS }));
      await Promise.all(stores.map((store) => store.open()));
    });
  });

  describe("beside another process", () => {
    it.each([
      [100, 1],
      [2_000, 3],
    ])("behind a front that gets nothing, each of %i targets has its turn within %i claims", async (count, most) => {
      const driver = mysqlStorage({ pool, prefix: freshPrefix(), timeoutMs: PATIENT_MS });
      await driver.open();
      const front = Array.from({ length: 256 }, (_, n) => job(`f${padded(n)}`, 0, { target: "busy" }));
      const later = Array.from({ length: count }, (_, n) => job(`l${padded(n)}`, 99, { target: `t${padded(n)}` }));
      await commitMany(driver, [...front, ...later, job("first", 1, { target: "a" }), job("last", 1, { target: "z" })]);
      const query = { lane: "webhook", leaseMs: 1_000, limit: 1, exclude: ["busy"], perTarget: 1 };
      const now = Date.parse(time(9));
      const claimed: string[] = [];
      const claim = async () => claimed.push(...idsOf((await driver.claim({ ...query, now })).jobs));
      for (let n = 0; n <= most; n++) await claim();
      expect(claimed).toEqual(["first", "last"]);
      // From behind the last one to the first again.
      await driver.commit([job("again", 1, { target: "a" })]);
      for (let n = 0; n < most; n++) await claim();
      expect(claimed).toEqual(["first", "last", "again"]);
    });

    it("a claim passes over what the other is just claiming, and takes what stands behind it", async () => {
      const prefix = freshPrefix();
      const driver = mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS });
      await driver.open();
      await driver.commit([1, 2, 3, 4, 5].map((n) => job(`j${n}`, n, { target: "busy" })));
      const other = await pool.getConnection();
      await other.beginTransaction();
      await other.query(`SELECT id FROM ${prefix}jobs FORCE INDEX (PRIMARY) WHERE id IN ('j1', 'j2') FOR UPDATE`);
      const query = { lane: "webhook", leaseMs: 1, limit: 9, exclude: [], perTarget: 2, now: Date.parse(time(9)) };
      expect(idsOf((await driver.claim(query)).jobs)).toEqual(["j3", "j4"]);
      await other.rollback();
      other.release();
      expect(idsOf((await driver.claim({ ...query, now: query.now - 1 })).jobs)).toEqual(["j1", "j2"]);
    });

    it("a commit that loses a race for two rows tries again", async () => {
      const prefix = freshPrefix();
      const driver = mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS });
      await driver.open();
      const both = (n: number) => [
        put("forms", "a", { n }),
        put("jobs", "a", { ...job("a", 1), status: "pending", n }),
      ];
      await driver.commit(both(0));
      const other = await pool.getConnection();
      await other.beginTransaction();
      await other.query(`UPDATE ${prefix}jobs SET data = '{"n":1}' WHERE id = 'a'`);
      const committing = driver.commit(both(2));
      const waiting = "SELECT COUNT(*) AS n FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
      // The server renews this table only after nobody has read it for 100 ms.
      const isWaiting = async () => Number(((await pool.query(waiting))[0] as { n: number }[])[0]?.n) > 0;
      while (!(await isWaiting())) await setTimeout(150);
      const circle = other.query(`UPDATE ${prefix}forms SET data = '{"n":1}' WHERE id = 'a'`);
      await circle.then(
        () => other.commit(),
        () => other.rollback(),
      );
      other.release();
      await committing;
      expect((await driver.get("forms", ["a"])).get("a")?.value.n).toBe(2);
    });

    it("finds the jobs behind a flood of one target by its index", async () => {
      const driver = mysqlStorage({ pool, prefix: freshPrefix(), timeoutMs: PATIENT_MS });
      await driver.open();
      const flood = Array.from({ length: 2_000 }, (_, i) => job(padded(i), 1, { target: "flood" }));
      await driver.commit([...flood, job("late", 5, { target: "calm" }), job("free", 6, { target: null })]);
      const query = { lane: "webhook", leaseMs: 1_000, limit: 9, exclude: ["flood"], perTarget: 4 };
      const { jobs } = await driver.claim({ ...query, now: Date.parse(time(9)) });
      expect(idsOf(jobs)).toEqual(["late", "free"]);
    });
  });
});
