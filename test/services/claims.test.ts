import { expect, onTestFinished } from "vitest";
import { postgresStorage } from "../../src/drivers/storage/postgres.ts";
import { createTestBackend, type TestBackend } from "../../src/surfaces/testing/backend.ts";
import { checked } from "../_support/claims.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../_support/postgres-schema.ts";

const DAY = 86_400_000;

withPostgres((pool) => {
  function backendOn(schema: string): TestBackend {
    const storage = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
    const backend = createTestBackend({ storage, rateLimit: false });
    onTestFinished(() => backend.close());
    return backend;
  }

  checked([
    {
      page: "docs/drivers/postgres.md",
      sentence:
        "Several calls with one client take turns, so one that fails takes nothing from the others. Don't send statements of your own on the client while a `submit` is under way: if it fails, they are rolled back with it.",
      async check() {
        const schema = freshSchema();
        const backend = backendOn(schema);
        const { id } = await backend.forms.create({ name: "A" });
        await pool.query(`CREATE TABLE ${schema}.orders (id text)`);
        const client = await pool.connect();
        try {
          await client.query("BEGIN");
          await client.query(`INSERT INTO ${schema}.orders VALUES ('before')`);
          const submit = (n: string) => backend.submit(id, { fields: { n } }, { tx: client });
          const [first, refused, last] = await Promise.allSettled([
            submit("1"),
            backend.submit(id, { fields: {} }, { tx: client }),
            submit("2"),
          ]);
          expect([first?.status, refused?.status, last?.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
          await client.query(`INSERT INTO ${schema}.orders VALUES ('after')`);
          await client.query("COMMIT");
        } finally {
          client.release();
        }
        expect((await backend.submissions.count(id)).count).toBe(2);
        expect((await pool.query(`SELECT id FROM ${schema}.orders ORDER BY id`)).rows.map((row) => row.id)).toEqual([
          "after",
          "before",
        ]);
      },
    },
    {
      page: "docs/operations/sizing.md",
      sentence:
        "Each form has counters of its posts: three in all, one for each month, and one for each of the latest 90 days that had a post. Older days are removed by the hourly cleanup, since their month has them, and those of a deleted form go with it.",
      async check() {
        const schema = freshSchema();
        const backend = backendOn(schema);
        const { id } = await backend.forms.create({ name: "A" });
        const counters = async (): Promise<string[]> => {
          const { rows } = await pool.query(
            `SELECT id FROM ${schema}.counters WHERE id LIKE 'form:${id}:%' ORDER BY id`,
          );
          return rows.map((row) => row.id.slice(`form:${id}:`.length));
        };
        await backend.submit(id, { fields: { n: "1" } });
        await backend.clock.advance(120 * DAY);
        await backend.submit(id, { fields: { n: "2" } });
        const kept = ["2026-01", "2026-05", "2026-05-01", "all", "counted:open"];
        expect(await counters()).toEqual(["2026-01", "2026-01-01", ...kept.slice(1)]);
        await backend.sweep();
        expect(await counters()).toEqual(kept);
        await backend.forms.delete(id);
        await backend.sweep();
        expect(await counters()).toEqual([]);
      },
    },
    {
      page: "docs/operations/many-machines.md",
      sentence: "| a submission | 1.6 KB | | a delivery (webhook or email) | 2.3 KB, of which 1.5 KB are its own |",
      async check() {
        const schema = freshSchema();
        const backend = backendOn(schema);
        const self_email_notification = { recipients: ["a@example.com"] };
        const { id } = await backend.forms.create({ name: "A", self_email_notification });
        await backend.webhooks.create(id, { url: "https://hooks.example.com/" });
        const message = "lorem ipsum dolor sit amet ".repeat(15);
        const posts = 1_500;
        for (let from = 0; from < posts; from += 50) {
          const fifty = Array.from({ length: 50 }, (_, i) => from + i);
          await Promise.all(
            fifty.map((n) =>
              backend.submit(id, {
                fields: { name: `Ann ${n}`, email: `ann${n}@example.com`, message: `${message}${n}` },
              }),
            ),
          );
        }
        const bytes = async (table: string, rows: number): Promise<number> => {
          const { rows: found } = await pool.query(`SELECT pg_total_relation_size('${schema}.${table}') AS n`);
          return Number(found[0].n) / rows / 1_024;
        };
        // Pages are half full to full, whichever ids were drawn.
        const near = (kilobytes: number) => [kilobytes * 0.75, kilobytes * 1.25] as const;
        const [least, most] = near(1.6);
        expect(await bytes("submissions", posts)).toBeGreaterThan(least);
        expect(await bytes("submissions", posts)).toBeLessThan(most);
        const [few, many] = near(1.5);
        expect(await bytes("jobs", 2 * posts)).toBeGreaterThan(few);
        expect(await bytes("jobs", 2 * posts)).toBeLessThan(many);
      },
    },
  ]);
});
