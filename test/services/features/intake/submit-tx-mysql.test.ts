import type { PoolConnection } from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { PATIENT_MS } from "../../../_support/postgres-schema.ts";

withMysql((pool) => {
  describe("submit in a transaction of a mysql2 connection", () => {
    const prefix = freshPrefix();
    let backend: TestBackend;
    let form: string;
    beforeAll(async () => {
      backend = createTestBackend({ storage: mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS }) });
      form = (await backend.forms.create({ name: "A", spam: { protection: false } })).id;
    });
    afterAll(() => backend.close());

    const submit = (tx: unknown, n: string, idempotency_key?: string) =>
      backend.submit(
        form,
        { fields: { n }, ...(idempotency_key && { idempotency_key }) },
        { tx: tx as PoolConnection },
      );
    const count = async () => (await backend.submissions.count(form)).count;
    async function inTransaction(end: "commit" | "rollback", work: (tx: PoolConnection) => Promise<void>) {
      const tx = await pool.getConnection();
      try {
        await tx.beginTransaction();
        await work(tx);
        await tx[end]();
      } finally {
        tx.release();
      }
    }

    it("is taken back or committed with it, and seen by nobody before", async () => {
      for (const end of ["rollback", "commit"] as const) {
        const before = await count();
        await inTransaction(end, async (tx) => {
          await submit(tx, end);
          expect(await count()).toBe(before);
          // Nobody else waits for it.
          await backend.submit(form, { fields: { n: "other" } });
        });
        expect(await count()).toBe(before + (end === "commit" ? 2 : 1));
      }
      expect((await backend.forms.get(form)).submissions.all_time).toBe(await count());
    });

    it("keeps each of many at once that is not refused", async () => {
      const before = await count();
      await inTransaction("commit", async (tx) => {
        const keys = ["a", "a", "b", "c", "d"];
        const ended = await Promise.allSettled(keys.map((key, i) => submit(tx, String(i), key)));
        expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
      });
      expect(await count()).toBe(before + 4);
    });

    it("takes the connection of a callback pool", async () => {
      const before = await count();
      await inTransaction("commit", async (tx) => void (await submit(tx.connection, "callback")));
      expect(await count()).toBe(before + 1);
    });

    it("refuses what is no transaction of this database, and names it", async () => {
      const before = await count();
      const free = await pool.getConnection();
      await expect(submit(free, "1")).rejects.toThrow(
        /`tx`, a connection of mysql2, has no transaction open; call beginTransaction\(\)/,
      );
      free.release();
      await expect(submit(pool, "2")).rejects.toThrow(/`tx` is a pool; pass the connection/);
      class Client {
        query() {
          throw new Error("nothing may be asked");
        }
      }
      const refused = submit(new Client(), "3");
      await expect(refused).rejects.toThrow(TypeError);
      await expect(refused).rejects.toThrow(
        /is a client of pg \(PostgreSQL\), and the store is in MySQL; pass a connection of mysql2/,
      );
      expect(await count()).toBe(before);
    });
  });
});
