import { describe, expect, it } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import type { StorageDriver, Write } from "../../../../src/drivers/storage/types.ts";
import { one, time } from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

/** A store with a counter's rows, and a transaction that locks those of one counter. */
interface Store {
  readonly drivers: readonly [StorageDriver, StorageDriver];
  /** The number of rows that all counters have. */
  rows(): Promise<number>;
  /** Runs `work` while another transaction holds the rows of a counter. */
  held(id: string, work: () => Promise<void>): Promise<void>;
}

const add = (id: string, by = 1): Write => ({ op: "add", id, by, at: time(by) });
const names = Array.from({ length: 300 }, (_, i) => `form:${String(i).padStart(3, "0")}`);

function counted(open: () => Promise<Store>): void {
  it("have one row, whichever process adds to them", async () => {
    const { drivers, rows } = await open();
    for (const driver of [...drivers, ...drivers, ...drivers]) await driver.commit(names.map((id) => add(id)));
    expect(await rows()).toBe(names.length);
    expect((await one(drivers[0], "counters", "form:007"))?.value).toEqual({ n: 6, at: time(1) });
  });

  it("get a second row where a transaction holds the first, and do not wait for it", async () => {
    const { drivers, rows, held } = await open();
    const [driver] = drivers;
    await driver.commit([add("held"), add("free")]);
    await held("held", async () => {
      await driver.commit([add("held", 2), add("free", 2)]);
      expect(await rows()).toBe(3);
    });
    await driver.commit([add("held", 3), add("free", 3)]);
    expect(await rows()).toBe(3);
    for (const id of ["held", "free"]) expect((await one(driver, "counters", id))?.value.n).toBe(6);
  });

  it("add up exactly while two processes add at once", async () => {
    const { drivers, rows } = await open();
    const some = names.slice(0, 20);
    const commits = Array.from({ length: 60 }, (_, i) => drivers[i % 2]!.commit(some.map((id) => add(id))));
    await Promise.all(commits);
    const found = await drivers[0].get("counters", some);
    expect([...found.values()].map(({ value }) => value.n)).toEqual(some.map(() => 60));
    expect(await rows()).toBeGreaterThanOrEqual(some.length);
  });
}

withPostgres((pool) => {
  describe("counters in PostgreSQL", () => {
    counted(async () => {
      const schema = freshSchema();
      const driver = () => postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
      const drivers = [driver(), driver()] as const;
      for (const one of drivers) await one.open();
      return {
        drivers,
        rows: async () => Number((await pool.query(`SELECT count(*) AS n FROM ${schema}.counters`)).rows[0].n),
        async held(id, work) {
          const client = await pool.connect();
          try {
            await client.query("BEGIN");
            await client.query(`SELECT 1 FROM ${schema}.counters WHERE id = $1 FOR UPDATE`, [id]);
            await work();
          } finally {
            await client.query("ROLLBACK");
            client.release();
          }
        },
      };
    });
  });
});

withMysql((pool) => {
  describe("counters in MariaDB", () => {
    counted(async () => {
      const prefix = freshPrefix();
      const driver = () => mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS });
      const drivers = [driver(), driver()] as const;
      for (const one of drivers) await one.open();
      return {
        drivers,
        async rows() {
          const [[found]] = (await pool.query(`SELECT COUNT(*) AS n FROM ${prefix}counters`)) as unknown as [
            { n: number }[],
          ];
          return Number(found?.n);
        },
        async held(id, work) {
          const connection = await pool.getConnection();
          try {
            await connection.query("START TRANSACTION");
            await connection.query(`UPDATE ${prefix}counters SET n = n + 1 WHERE id = ? AND slot = 0`, [id]);
            await work();
          } finally {
            await connection.query("ROLLBACK");
            connection.release();
          }
        },
      };
    });
  });
});
