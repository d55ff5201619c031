import { expect, it } from "vitest";
import { type MysqlPoolLike, mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import type { Write } from "../../../../src/drivers/storage/types.ts";
import { time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { PATIENT_MS } from "../../../_support/postgres-schema.ts";

interface Connection {
  query(options: { sql: string }): Promise<unknown>;
}

withMysql((pool) => {
  it("commits new rows and counters in one round trip on MariaDB, and what has an expected version in more", async () => {
    const asked: string[] = [];
    const seen = new WeakSet<object>();
    const counting: MysqlPoolLike = {
      async getConnection() {
        const connection = (await pool.getConnection()) as unknown as Connection;
        const query = connection.query.bind(connection);
        if (!seen.has(connection)) {
          seen.add(connection);
          connection.query = (options) => {
            asked.push(options.sql);
            return query(options);
          };
        }
        return connection;
      },
    };
    const driver = mysqlStorage({ pool: counting, prefix: freshPrefix(), timeoutMs: PATIENT_MS });
    await driver.open();
    const trips = async (writes: Write[]): Promise<number> => {
      asked.length = 0;
      await driver.commit(writes);
      return asked.length;
    };
    const put = (id: string, expect?: number | null): Write => ({
      op: "put",
      collection: "marks",
      id,
      value: { kind: "a", expires_at: time(1) },
      ...(expect !== undefined && { expect }),
    });
    const add = (id: string): Write => ({ op: "add", id, by: 1, at: time(1) });
    expect(await trips([put("a", null), put("b", null), add("x"), add("y")])).toBe(1);
    expect(await trips([put("c", null), add("x")])).toBe(1);
    expect(await trips([put("a", 1), add("x")])).toBeGreaterThan(3);
    // A row that is there: all is taken back, and the row is named.
    await expect(driver.commit([put("d", null), put("b", null), add("x")])).rejects.toThrow(/stale.*b/s);
    expect([...(await driver.get("marks", ["c", "d"])).keys()]).toEqual(["c"]);
    expect((await driver.get("counters", ["x"])).get("x")?.value).toMatchObject({ n: 3 });
    await driver.close();
  });
});
