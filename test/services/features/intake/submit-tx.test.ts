import type pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { createTestBackend, type TestBackend } from "../../../../src/surfaces/testing/backend.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";

it("submit with `tx` is refused by a store that can't join a transaction", async () => {
  const tx = { query: async () => ({ rows: [] }) };
  const backend = createTestBackend();
  const { id } = await backend.forms.create({ name: "A" });
  const submitting = backend.submit(id, { fields: { a: "b" } }, { tx });
  await expect(submitting).rejects.toThrow(TypeError);
  await expect(submitting).rejects.toThrow(/the store "memory" can't be part of a transaction of yours/);
  expect(await backend.submissions.count(id)).toMatchObject({ count: 0 });
  await backend.close();
});

withPostgres((pool) => {
  describe("submit in a transaction of the host's", () => {
    const schema = freshSchema();
    let backend: TestBackend;
    let form: string;
    const created: string[] = [];
    beforeAll(async () => {
      backend = createTestBackend({ storage: postgresStorage({ pool, schema, timeoutMs: PATIENT_MS }) });
      backend.on("submission.created", ({ id }) => void created.push(id));
      form = (await backend.forms.create({ name: "A", spam: { protection: false } })).id;
      await backend.webhooks.create(form, { url: "https://hooks.example.com/" });
      await pool.query(`CREATE TABLE ${schema}.hosts_own (submission_id text)`);
    });
    afterAll(() => backend.close());

    async function inTransaction(
      end: "COMMIT" | "ROLLBACK",
      work: (client: pg.PoolClient) => Promise<void>,
    ): Promise<void> {
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await work(client);
        await client.query(end);
      } finally {
        client.release();
      }
    }
    const state = async () => ({
      submissions: (await backend.submissions.count(form)).count,
      jobs: (await backend.jobs.list({ form_id: form })).filter((job) => job.status === "pending").length,
      counted: (await backend.forms.get(form)).submissions.all_time,
      hosts: (await pool.query(`SELECT count(*)::int AS n FROM ${schema}.hosts_own`)).rows[0].n as number,
    });
    const both = async (client: pg.PoolClient, fields: Record<string, string>, idempotency_key?: string) => {
      const { id } = await backend.submit(
        form,
        { fields, ...(idempotency_key && { idempotency_key }) },
        { tx: client },
      );
      await client.query(`INSERT INTO ${schema}.hosts_own VALUES ($1)`, [id]);
      return id;
    };

    it("is taken back with it", async () => {
      const before = await state();
      await inTransaction("ROLLBACK", async (client) => {
        await both(client, { n: "1" });
        expect(await state()).toEqual(before);
      });
      expect(await state()).toEqual(before);
    });

    it("is committed with it, with its jobs and counters, and without an event", async () => {
      const before = await state();
      let id = "";
      await inTransaction("COMMIT", async (client) => {
        id = await both(client, { n: "2" });
        await both(client, { n: "3" });
        expect(await state()).toEqual(before);
      });
      const after = await state();
      expect(after).toMatchObject({ submissions: before.submissions + 2, hosts: before.hosts + 2 });
      expect(after.jobs).toBeGreaterThan(before.jobs);
      expect((await backend.submissions.get(form, id)).fields).toEqual([{ key: "n", value: "2" }]);
      expect(created).not.toContain(id);
      await backend.tick();
      expect((await backend.jobs.list({ form_id: form })).filter(({ status }) => status === "pending")).toEqual([]);
    });

    it("keeps nobody else waiting while it is open", async () => {
      await inTransaction("ROLLBACK", async (client) => {
        await both(client, { n: "4" });
        for (let n = 0; n < 50; n++) await backend.submit(form, { fields: { n: `other ${n}` } });
      });
    });

    it("goes on after a conflict, which answers what was stored first under the key", async () => {
      const first = await backend.submit(form, { fields: { n: "5" }, idempotency_key: "k5" });
      const before = await state();
      await inTransaction("COMMIT", async (client) => {
        expect(await both(client, { n: "5" }, "k5")).toBe(first.id);
        await both(client, { n: "6" }, "k6");
        await expect(both(client, { n: "6" }, "k6")).rejects.toMatchObject({ code: "idempotency_in_progress" });
        await both(client, { n: "7" });
      });
      expect(await state()).toMatchObject({ submissions: before.submissions + 2, hosts: before.hosts + 3 });
      const repeated = await backend.submit(form, { fields: { n: "6" }, idempotency_key: "k6" });
      expect(repeated.fields).toEqual([{ key: "n", value: "6" }]);
      expect(await state()).toMatchObject({ submissions: before.submissions + 2 });
    });

    it("keeps each one that resolved, and none that was refused, however many are under way on one client", async () => {
      const numbers = Array.from({ length: 40 }, (_, n) => n);
      let ids: string[] = [];
      const before = await state();
      await inTransaction("COMMIT", async (client) => {
        // Three of four have a key that another one has too: one of them is stored, and two are refused.
        const settled = await Promise.allSettled(
          numbers.map((n) => {
            const [many, idempotency_key] = n % 4 === 0 ? [String(n)] : [`of ${n >> 2}`, `many ${n >> 2}`];
            const input = { fields: { many }, ...(idempotency_key && { idempotency_key }) };
            return backend.submit(form, input, { tx: client }).then(({ id }) => id);
          }),
        );
        ids = settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
        const refused = settled.flatMap((one) => (one.status === "rejected" ? [one.reason.code] : []));
        expect(refused).toEqual(Array.from({ length: 20 }, () => "idempotency_in_progress"));
      });
      expect(new Set(ids).size).toBe(20);
      const { rows } = await pool.query(`SELECT id FROM ${schema}.submissions WHERE data::text LIKE '%"many"%'`);
      expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect(await state()).toMatchObject({ submissions: before.submissions + 20, counted: before.counted + 20 });
    });

    it("needs a client with a transaction open, and says so", async () => {
      const client = await pool.connect();
      const hint =
        /`tx`, a client of pg, has no transaction open; run BEGIN on it first, and pass the client itself, not its pool/;
      await expect(backend.submit(form, { fields: { n: "8" } }, { tx: client })).rejects.toThrow(hint);
      client.release();
      await expect(backend.submit(form, { fields: { n: "8" } }, { tx: pool })).rejects.toThrow(hint);
      await expect(backend.submit(form, { fields: { n: "8" } }, { tx: {} as never })).rejects.toThrow(
        /`tx` is an object of the class Object; pass a client of pg, or a transaction of Drizzle/,
      );
    });
  });
});
