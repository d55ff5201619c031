import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import type { StorageDriver, Write } from "../../../../src/drivers/storage/types.ts";
import type { Attempt } from "../../../../src/features/webhooks/request.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { runs } from "../../../_support/runs.ts";

const DEAD = 20_000;
const HEALTHY = 50;
const ROUNDS = 20;
const REPEATS = runs(1, 3);
const DEAD_URL = "https://dead.example.com/";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Run {
  /** From the answer to the visitor until the request to the healthy receiver, ms, ascending. */
  latencies: number[];
  /** For each healthy delivery, how many claims of the lane went by until the one that took it. */
  claims: number[];
  deadAttempts: number;
  /** The most attempts at the dead endpoint in flight at once, after its first ones have failed. */
  deadInFlight: number;
}

/** 50 webhooks that answer, each with a delivery per round, beside one that does not and has `backlog` deliveries due. */
async function run(backlog: number, deadMs: number): Promise<Run> {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-fair-"));
  const sqlite = sqliteStorage({ path: join(dir, "forms.db") });
  let claimCount = 0;
  const claimedIn = new Map<string, number>();
  const storage: StorageDriver = {
    ...sqlite,
    async claim(query) {
      const answer = await sqlite.claim(query);
      if (query.lane === "webhook") claimCount++;
      for (const { value } of answer.jobs) claimedIn.set(String(value["submission_id"]), claimCount);
      return answer;
    },
  };
  const result: Run = { latencies: [], claims: [], deadAttempts: 0, deadInFlight: 0 };
  const sentAt = new Map<string, number>();
  let deadNow = 0;
  const backend = createBackend(
    { baseUrl: "http://localhost/forms", secret: "x".repeat(32), storage, rateLimit: false },
    {
      webhookClient: {
        async post(url, { body }): Promise<Attempt> {
          if (url === DEAD_URL) {
            deadNow++;
            if (++result.deadAttempts > 16) result.deadInFlight = Math.max(result.deadInFlight, deadNow);
            await pause(deadMs);
            deadNow--;
            return {
              ok: false,
              code: "ERROR_WEBHOOK_TIMEOUT",
              node_error_code: "ETIMEDOUT",
              message: "",
              duration_ms: 1,
            };
          }
          const id = JSON.parse(String(body)).data.id as string;
          if (!sentAt.has(id)) sentAt.set(id, performance.now());
          await pause(5);
          return { ok: true, code: "SUCCESS", http_status: 200, message: "", duration_ms: 5 };
        },
        close() {},
      },
    },
  );
  const forms: string[] = [];
  for (let i = 0; i <= HEALTHY; i++) {
    const { id } = await backend.forms.create({ name: `F${i}`, spam: { protection: false } });
    await backend.webhooks.create(id, { url: i === HEALTHY ? DEAD_URL : `https://h${i}.example.com/` });
    forms.push(id);
  }
  const deadForm = forms.pop() as string;
  if (backlog > 0) {
    await fillBacklog(sqlite, deadForm, backlog);
    // It is known for what it is by now, as after the first minute of any outage.
    while (result.deadAttempts <= 16) await pause(5);
  }

  const accepted: { id: string; at: number; claim: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(
      forms.map(async (form) => {
        const { id } = await backend.submit(form, { fields: { round: String(round) } });
        accepted.push({ id, at: performance.now(), claim: claimCount });
      }),
    );
    await pause(25);
  }
  while (accepted.some(({ id }) => !sentAt.has(id))) await pause(5);
  for (const { id, at, claim } of accepted) {
    result.latencies.push((sentAt.get(id) as number) - at);
    result.claims.push((claimedIn.get(id) as number) - claim);
  }
  await backend.close({ graceMs: 100 });
  rmSync(dir, { recursive: true, force: true });
  return result;

  /** As many submissions as rows would take minutes; one submission with as many deliveries is as much work for the claim. */
  async function fillBacklog(store: StorageDriver, form: string, count: number): Promise<void> {
    const { id } = await backend.submit(form, { fields: { n: "1" } });
    const [row] = await store.page("jobs", {
      index: "submission",
      equals: { submission_id: id },
      order: "asc",
      limit: 1,
    });
    const due = new Date(Date.now() - 60_000).toISOString();
    for (let from = 0; from < count; from += 1_000) {
      await store.commit(
        Array.from({ length: 1_000 }, (_, i): Write => {
          const value = { ...row?.value, status: "pending", due_at: due, leased: false };
          return { op: "put", collection: "jobs", id: `msg_dead${from + i}`, value };
        }),
      );
    }
  }
}

const pooled = (all: readonly Run[]): Run => ({
  latencies: all.flatMap(({ latencies }) => latencies).sort((a, b) => a - b),
  claims: all.flatMap(({ claims }) => claims),
  deadAttempts: all.reduce((sum, { deadAttempts }) => sum + deadAttempts, 0),
  deadInFlight: Math.max(...all.map(({ deadInFlight }) => deadInFlight)),
});
const quantile = (values: readonly number[], q: number): number =>
  values[Math.floor((values.length - 1) * q)] as number;

it.each([
  ["hangs", 250],
  ["refuses at once", 1],
])(
  `F9: one endpoint that %s, with ${DEAD} due deliveries, holds up none of ${HEALTHY} healthy ones on SQLite`,
  async (what, ms) => {
    // In turns, so that what else the machine does falls on both.
    const pairs: [Run, Run][] = [];
    for (let i = 0; i < REPEATS; i++) pairs.push([await run(0, ms), await run(DEAD, ms)]);
    const [alone, beside] = [pooled(pairs.map(([first]) => first)), pooled(pairs.map(([, second]) => second))];
    const most = (values: readonly number[]) => Math.max(...values);
    const p99 = [quantile(alone.latencies, 0.99), quantile(beside.latencies, 0.99)] as const;
    console.log(
      `F9 on SQLite, an endpoint that ${what}: healthy p50 ${quantile(alone.latencies, 0.5).toFixed(1)} → ${quantile(beside.latencies, 0.5).toFixed(1)} ms, ` +
        `p99 ${p99[0].toFixed(1)} → ${p99[1].toFixed(1)} ms (× ${(p99[1] / p99[0]).toFixed(2)}); ` +
        `claims until taken: at most ${most(alone.claims)} → ${most(beside.claims)}; ${beside.deadAttempts} attempts at the dead one, ${beside.deadInFlight} at once`,
    );
    expect(beside.latencies).toHaveLength(HEALTHY * ROUNDS * REPEATS);
    expect(beside.deadAttempts, "the dead endpoint is still tried").toBeGreaterThan(16);
    expect(beside.deadInFlight, "a troubled endpoint holds 2 workers").toBeLessThanOrEqual(2);
    // Up to 62 of them find a worker at once; the last ones of a round wait until some of those 62 have ended.
    expect(most(beside.claims), "claims that went by until a healthy delivery was taken").toBeLessThanOrEqual(12);
  },
  120_000,
);
