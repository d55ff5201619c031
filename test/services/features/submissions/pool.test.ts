import type pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { type PoolLike, postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { type Harness, harness } from "../../../_support/backend.ts";
import { describePostgres, postgresPool } from "../../../_support/postgres.ts";
import { freshSchema } from "../../../_support/postgres-schema.ts";

const CLIENTS = 6;

/** A real pool whose long reads do not end while `hold()` is in force. `reading` = how many of them have a connection. */
function holding(pool: pg.Pool) {
  let gate: Promise<void> | null = null;
  let open = (): void => {};
  const state = { reading: 0, most: 0 };
  const like: PoolLike = {
    options: { max: CLIENTS },
    async connect() {
      const client = await pool.connect();
      return {
        async query(text, params) {
          const long = /count\(\*\)|json_array_elements|jsonpath|lower\(/.test(text) && /SELECT/.test(text) && gate;
          if (long) {
            state.most = Math.max(state.most, ++state.reading);
            await gate;
            state.reading--;
          }
          return client.query(text, params as unknown[]);
        },
        release: (destroy) => client.release(destroy),
        on: (event, listener) => client.on(event, listener),
      };
    },
  };
  return {
    like,
    state,
    hold() {
      gate = new Promise((resolve) => {
        open = () => {
          gate = null;
          resolve();
        };
      });
    },
    open: () => open(),
  };
}

const reads: [string, (b: Harness, form: string, key: string, at: number) => Promise<{ status: number }>][] = [
  ["counts", (b, form, key) => b.call("GET", `/v1/forms/${form}/submissions/count?group_by=field:n`, { key })],
  ["filtered lists", (b, form, key) => b.call("GET", `/v1/forms/${form}/submissions?q=x`, { key })],
  ["filtered exports", (b, form, key) => b.call("GET", `/v1/forms/${form}/submissions/export?format=csv&q=x`, { key })],
  [
    "lists of the older API",
    (b, form, key) => b.call("GET", `/api/form/${form}/submissions`, { headers: { api_key: key } }),
  ],
];

describePostgres("20 long reads of one team at once", () => {
  it.each(reads)(
    "%s: another team's visitor is answered 200 while they run, and its owner reads too",
    async (_, read) => {
      const pool = postgresPool({ max: CLIENTS });
      const schema = freshSchema();
      const held = holding(pool);
      const b = harness({
        storage: postgresStorage({ pool: held.like, schema, timeoutMs: 4_000 }),
        logger: { debug() {}, info() {}, warn() {}, error() {} },
      });
      onTestFinished(async () => {
        held.open();
        await b.close();
        await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
        await pool.end();
      });
      await b.teams.create({ id: "busy", name: "Busy" });
      await b.teams.create({ id: "calm", name: "Calm" });
      const busy = await b.forms.create({ name: "A" }, { team_id: "busy" });
      const calm = await b.forms.create({ name: "B" }, { team_id: "calm" });
      // Many keys of one team are one team.
      const keys = await Promise.all(Array.from({ length: 5 }, () => b.keyWith("all", { team_id: "busy" })));
      const calmKey = await b.keyWith("all", { team_id: "calm" });
      await b.submit(busy.id, { fields: { n: "x" } });
      held.hold();
      const running = Array.from({ length: 20 }, (_, i) => read(b, busy.id, keys[i % 5] ?? "", i));
      while (held.state.reading === 0) await new Promise((resolve) => setImmediate(resolve));
      for (let i = 0; i < 10; i++) {
        const posts = Array.from({ length: 3 }, () => b.post(calm.id, { n: "1" }));
        expect((await Promise.all(posts)).map(({ status }) => status)).toEqual([200, 200, 200]);
      }
      // Half of the places are free for others, and there are fewer places than connections.
      const other = read(b, calm.id, calmKey, 0);
      while (held.state.reading < 2) await new Promise((resolve) => setImmediate(resolve));
      expect(held.state.most).toBe(2);
      held.open();
      expect((await other).status).toBe(200);
      const statuses = new Set((await Promise.all(running)).map(({ status }) => status));
      statuses.delete(429);
      expect([...statuses]).toEqual([200]);
    },
  );
});
