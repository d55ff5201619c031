import fc from "fast-check";
import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { mysqlStorage } from "../../../../src/drivers/storage/mysql.ts";
import { postgresStorage } from "../../../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { collections } from "../../../../src/model/collections.ts";
import type { JobOutcome } from "../../../../src/model/outcome.ts";
import { freshPrefix, withMysql } from "../../../_support/mysql.ts";
import { freshSchema, PATIENT_MS, withPostgres } from "../../../_support/postgres-schema.ts";
import { runs } from "../../../_support/runs.ts";
import {
  answers,
  checkInvariants,
  drain,
  jobsOf,
  type Model,
  newWorld,
  live as pass,
  plannedNow,
  refused,
  type World,
} from "./_model.ts";

const RUNS = runs(100, 2_000);
/** Each of a run's several hundred statements is a round trip. */
const POSTGRES_RUNS = runs(10, 100);
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

type Step = (model: Model, world: World) => Promise<void>;

/** A command by its name; the invariants are checked after each. */
const command = (
  name: string,
  applies: (model: Readonly<Model>) => boolean,
  step: Step,
): fc.AsyncCommand<Model, World> => ({
  check: applies,
  async run(model, world) {
    await step(model, world);
    await checkInvariants(model, world);
  },
  toString: () => name,
});

const always = (): boolean => true;
const any = (list: readonly unknown[]) => list.length > 0;
const at = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
const nth = fc.nat(1_000);

const submit = fc.constantFrom(false, false, false, true).map((spam) =>
  command(`submit(spam: ${spam})`, always, async (model, { backend, form }) => {
    const { id } = await backend.submit(form, {
      fields: { a: `${model.submissions.length}`, ...(spam && { _gotcha: "x" }) },
    });
    model.submissions.push({ id, planned: plannedNow(model), spam, stored: true });
  }),
);

const work = fc.constantFrom(...(Object.keys(answers) as (keyof typeof answers)[])).map((answer) =>
  command(`work(${answer})`, always, async (_, world) => {
    world.answer = answers[answer];
    await world.backend.tick();
  }),
);

/** Another process claims: what becomes of it, a later command says. */
const claim = fc.tuple(fc.constantFrom("webhook", "email"), fc.integer({ min: 1, max: 5 })).map(([lane, limit]) =>
  command(`claim(${lane}, ${limit})`, always, async (model, { storage, clock, held }) => {
    const leaseMs = lane === "webhook" ? 60 * SECOND : 120 * SECOND;
    const { jobs } = await storage.claim({ lane, leaseMs, limit, exclude: [], perTarget: 4, now: clock.now() });
    held.push(...(jobs as unknown as World["held"]));
    model.held = held.length;
  }),
);

const outcomes: Record<string, JobOutcome> = {
  ok: { status: "succeeded", code: "SUCCESS", http_status: 200 },
  fail: { status: "retry", code: "ERROR_WEBHOOK_CONNECTION", node_error_code: "ECONNRESET", message: "reset" },
  giveUp: { status: "failed", code: "ERROR_EMAIL_SMTP_5XX", message: "550" },
};
const settle = fc.tuple(fc.constantFrom(...Object.keys(outcomes)), nth).map(([name, n]) =>
  command(
    `settle(${name}, held ${n})`,
    ({ held }) => held > 0,
    async (model, world) => {
      const [row] = world.held.splice(n % world.held.length, 1);
      model.held = world.held.length;
      if (row) await world.settle(row, outcomes[name] as JobOutcome);
    },
  ),
);

/** Several results at once, some of them of lost leases. */
const settleAll = fc.constantFrom(...Object.keys(outcomes)).map((name) =>
  command(
    `settleAll(${name})`,
    ({ held }) => held > 0,
    async (model, world) => {
      const rows = world.held.splice(0);
      model.held = 0;
      await Promise.all(rows.map((row) => world.settle(row, outcomes[name] as JobOutcome)));
    },
  ),
);

const crash = nth.map((n) =>
  command(
    `crash(held ${n})`,
    ({ held }) => held > 0,
    async (model, { held }) => {
      held.splice(n % held.length, 1);
      model.held = held.length;
    },
  ),
);

const advance = fc
  .constantFrom(1, SECOND, 10 * SECOND, 61 * SECOND, 121 * SECOND, HOUR, 8 * HOUR, 26 * HOUR)
  .map((ms) =>
    command(`advance(${ms / SECOND} s)`, always, async (_, { clock }) => {
      clock.set(clock.now() + ms);
    }),
  );

const createWebhook = fc.boolean().map((enabled) =>
  command(
    `createWebhook(enabled: ${enabled})`,
    ({ webhooks }) => webhooks.filter(({ alive }) => alive).length < 3,
    async (model, { backend, form }) => {
      const url = `https://hooks.example.com/${model.webhooks.length}`;
      const { id } = await backend.webhooks.create(form, { url, enabled });
      model.webhooks.push({ id, alive: true, rotated: [] });
    },
  ),
);

const switchWebhook = fc.tuple(fc.boolean(), nth).map(([enabled, n]) =>
  command(
    `${enabled ? "enable" : "disable"}(${n})`,
    ({ webhooks }) => any(webhooks),
    async ({ webhooks }, { backend, form }) => {
      const { id, alive } = at(webhooks, n);
      const gone = await refused(backend.webhooks.update(form, id, { enabled }), ["webhook_not_found"]);
      expect(gone).toBe(!alive);
    },
  ),
);

const deleteWebhook = nth.map((n) =>
  command(
    `deleteWebhook(${n})`,
    ({ webhooks }) => any(webhooks),
    async ({ webhooks }, { backend, form }) => {
      const webhook = at(webhooks, n);
      expect(await refused(backend.webhooks.delete(form, webhook.id), ["webhook_not_found"])).toBe(!webhook.alive);
      webhook.alive = false;
    },
  ),
);

const rotate = nth.map((n) =>
  command(
    `rotate(${n})`,
    ({ webhooks }) => any(webhooks),
    async ({ webhooks }, { backend, form, clock }) => {
      const webhook = at(webhooks, n);
      webhook.rotated = webhook.rotated.filter((time) => time + 24 * HOUR > clock.now());
      const no = await refused(backend.webhooks.rotateSecret(form, webhook.id), [
        "webhook_not_found",
        "invalid_parameter",
      ]);
      expect(no).toBe(!webhook.alive || webhook.rotated.length === 2);
      if (!no) webhook.rotated.push(clock.now());
    },
  ),
);

const redeliver = fc.tuple(nth, nth).map(([s, w]) =>
  command(
    `redeliver(${s}, ${w})`,
    ({ submissions, webhooks }) => any(submissions) && any(webhooks),
    async (model, world) => {
      const submission = at(model.submissions, s);
      const webhook = at(model.webhooks, w);
      const { backend, form, succeeded } = world;
      const codes = ["webhook_not_found", "delivery_not_found", "submission_not_stored"];
      const no = await refused(backend.deliveries.redeliver(form, webhook.id, submission.id), codes);
      expect(no).toBe(!webhook.alive || !submission.planned.includes(`webhook ${webhook.id}`) || !submission.stored);
      if (no) return;
      const again = (await jobsOf(world)).find(
        ({ value }) => value.submission_id === submission.id && value.target === webhook.id,
      );
      expect(Date.parse(String(again?.value.deadline_at)) - world.clock.now(), "a window of its own").toBe(72 * HOUR);
      for (const [id, job] of succeeded)
        if (job.submission_id === submission.id && job.target === webhook.id) succeeded.delete(id);
    },
  ),
);

const recover = fc.tuple(nth, fc.constantFrom(1, 30, 300)).map(([n, hours]) =>
  command(
    `recover(${n}, ${hours} h)`,
    ({ webhooks }) => any(webhooks),
    async ({ webhooks, submissions }, world) => {
      const { id, alive } = at(webhooks, n);
      const since = new Date(world.clock.now() - hours * HOUR).toISOString();
      const no = await refused(world.backend.deliveries.recover(world.form, id, { since }), ["webhook_not_found"]);
      expect(no).toBe(!alive);
      if (no) return;
      const gone = new Set(submissions.filter(({ stored }) => !stored).map((submission) => submission.id));
      const left = (await jobsOf(world)).filter(
        ({ value }) => value.target === id && value.occurred_at >= since && /^(failed|skipped)$/.test(value.status),
      );
      expect(
        left.every(({ value }) => value.code === "SKIPPED_SPAM" || gone.has(value.submission_id)),
        "what can be sent is due again",
      ).toBe(true);
    },
  ),
);

const deleteSubmission = nth.map((n) =>
  command(
    `deleteSubmission(${n})`,
    ({ submissions }) => any(submissions),
    async ({ submissions }, { backend, form }) => {
      const submission = at(submissions, n);
      const no = await refused(backend.submissions.delete(form, submission.id), ["submission_not_found"]);
      expect(no).toBe(!submission.stored);
      submission.stored = false;
    },
  ),
);

const release = nth.map((n) =>
  command(
    `release(${n})`,
    ({ submissions }) => any(submissions),
    async ({ submissions }, { backend, form }) => {
      const submission = at(submissions, n);
      const update = backend.submissions.update(form, submission.id, { spam: false }, { deliver: true });
      expect(await refused(update, ["submission_not_found"])).toBe(!submission.stored);
      if (submission.stored) submission.spam = false;
    },
  ),
);

/** Hours and days in which everything due runs, as the receiver is. */
const live = fc.tuple(fc.constantFrom("down", "silent", "ok"), fc.constantFrom(2, 30, 75, 130)).map(([answer, hours]) =>
  command(`live(${answer}, ${hours} h)`, always, async (_, world) => {
    world.answer = answers[answer as keyof typeof answers];
    await pass(world, hours * HOUR);
  }),
);

/** How often each is drawn. */
const weights: readonly (readonly [number, fc.Arbitrary<fc.AsyncCommand<Model, World>>])[] = [
  [4, submit],
  [3, work],
  [1, live],
  [3, claim],
  [2, settle],
  [1, settleAll],
  [1, crash],
  [3, advance],
  [1, createWebhook],
  [1, switchWebhook],
  [1, deleteWebhook],
  [1, rotate],
  [2, redeliver],
  [1, recover],
  [1, deleteSubmission],
  [1, release],
];
/** Always 50: of `fc.commands` only the greatest number can be set, and half of it is drawn on the average. */
const commands = fc.array(fc.oneof(...weights.map(([weight, arbitrary]) => ({ weight, arbitrary }))), {
  minLength: 50,
  maxLength: 50,
});

/** `open` answers an empty store, open or not. */
function modelTest(name: string, numRuns: number, open: () => StorageDriver | Promise<StorageDriver>): void {
  it(`S2: deliveries as a model, on ${name}, keep every invariant through ${numRuns} runs of 50 commands`, async () => {
    let [done, ran] = [0, 0];
    const ends = new Map<string, number>();
    const end = command("drain", always, async (_, world) => {
      await drain(world);
      for (const { value } of await jobsOf(world)) ends.set(value.code, (ends.get(value.code) ?? 0) + 1);
    });
    await fc.assert(
      fc.asyncProperty(commands, async (steps) => {
        const storage = await open();
        const world = await newWorld(storage);
        await fc.asyncModelRun(() => world, [...steps, end]);
        await world.real.backend.close();
        await storage.close();
        done++;
        ran += steps.length;
      }),
      { numRuns },
    );
    console.log(
      `S2 on ${name}: ${done} runs, ${ran} commands; deliveries ended as ${JSON.stringify(Object.fromEntries(ends))}`,
    );
    expect(done).toBe(numRuns);
  }, 600_000);
}

modelTest("memory", RUNS, memoryStorage);
modelTest("sqlite", RUNS, () => sqliteStorage({ path: ":memory:" }));
withMysql((pool) => {
  const prefix = freshPrefix();
  modelTest("mysql", POSTGRES_RUNS, async () => {
    const storage = mysqlStorage({ pool, prefix, timeoutMs: PATIENT_MS });
    await storage.open();
    for (const name of Object.keys(collections)) await pool.query(`DELETE FROM ${prefix}${name}`);
    return storage;
  });
});
withPostgres((pool) => {
  const schema = freshSchema();
  const empty = Object.keys(collections)
    .map((name) => `DELETE FROM ${schema}.${name}`)
    .join(";");
  modelTest("postgres", POSTGRES_RUNS, async () => {
    const storage = postgresStorage({ pool, schema, timeoutMs: PATIENT_MS });
    await storage.open();
    await pool.query(empty);
    return storage;
  });
});
