import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { message, world } from "../../../_support/inbound-world.ts";
import { mysqlPool } from "../../../_support/mysql.ts";
import { postgresPool } from "../../../_support/postgres.ts";

const name = `talk_${randomBytes(4).toString("hex")}`;

const stores: readonly (readonly [string, () => { storage: StorageDriver; end: () => Promise<unknown> }])[] = [
  ["SQLite", () => ({ storage: sqliteStorage({ path: ":memory:" }), end: async () => {} })],
  [
    "PostgreSQL",
    () => {
      const pool = postgresPool();
      const end = async () => {
        await pool.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
        await pool.end();
      };
      return { storage: postgresStorage({ pool, schema: name }), end };
    },
  ],
  [
    "MariaDB",
    () => {
      const pool = mysqlPool();
      const end = async () => {
        const [tables] = await pool.query(`SHOW TABLES LIKE '${name}%'`);
        for (const row of tables as object[]) await pool.query(`DROP TABLE \`${Object.values(row)[0]}\``);
        await pool.end();
      };
      return { storage: mysqlStorage({ pool, prefix: `${name}_` }), end };
    },
  ],
];

describe.each(stores)("a conversation on %s", (_, open) => {
  it("is kept in order, once for each mail, and removed with its submission", async () => {
    const { storage, end } = open();
    const w = await world({ storage });
    try {
      const text = message(w.reply, { text: "And on Sundays?" });
      const results = await Promise.all([1, 2, 3].map(async () => (await w.raw(text)).result));
      expect(results.filter((result) => result === "stored")).toHaveLength(1);
      const named = message("x@acme.test", { id: "two@example.com", more: "References: <one@example.com>\n" });
      await w.b.clock.advance(1_000);
      expect((await w.raw(named)).result).toBe("stored");
      expect((await w.thread()).map(({ direction, text: said }) => `${direction} ${said}`)).toEqual([
        "out At nine.",
        "in And on Sundays?",
        "in Thank you!",
      ]);
      await w.b.suppressions.add({ email: "ann@example.com" });
      expect((await w.b.suppressions.list({ email: "ANN@example.com" })).data).toHaveLength(1);
      await w.b.dataSubjects.erase({ email: "ann@example.com" });
      expect((await w.b.suppressions.list()).data).toEqual([]);
      expect(
        (await storage.count("messages", { index: "team", equals: { team_id: "default" }, budgetMs: 5_000 })).count,
      ).toBe(0);
    } finally {
      await w.b.close();
      await end();
    }
  });
});
