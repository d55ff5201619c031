import { setImmediate as turn } from "node:timers/promises";
import { onTestFinished, vi } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { Stored } from "../../../../src/drivers/storage/types.ts";
import type { ClaimedJob } from "../../../../src/features/jobs/reads.ts";
import { createWorker } from "../../../../src/features/jobs/work.ts";
import type { JobRecord } from "../../../../src/model/jobs.ts";
import type { JobOutcome } from "../../../../src/model/outcome.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { job, START } from "../../../../src/surfaces/testing/storage/fixtures.ts";

export const done: JobOutcome = { status: "succeeded", code: "SUCCESS" };

/** Waits for 20 turns of the event loop, enough for the worker to do all that needs no timer. */
export const settled = async (): Promise<void> => {
  for (let n = 0; n < 20; n++) await turn();
};

/** A worker, over a store that counts its claims, with a clock that stands still. `lanes` are the names of its lanes. */
export function watchedWorker({ inFlight = 1, perTarget = 1, lanes = ["webhook"], random = 0.5 } = {}) {
  vi.spyOn(Math, "random").mockReturnValue(random);
  onTestFinished(() => void vi.restoreAllMocks());
  const clock = testClock(START + 60_000);
  const storage = memoryStorage();
  const seen = {
    claims: 0,
    listens: 0,
    /** Timers of the worker that are still to fire. */
    timers: 0,
    ran: [] as string[],
    stored: [] as string[],
    warnings: [] as string[],
    errors: [] as string[],
  };
  const held: {
    wake: (lane: string) => void;
    claim: () => Promise<void>;
    perform: (job: ClaimedJob, signal: AbortSignal) => Promise<JobOutcome>;
    settle: () => Promise<void>;
  } = {
    wake: () => {},
    claim: async () => {},
    perform: async () => done,
    settle: async () => {},
  };
  /** The functions that end held runs, by the id of the job. */
  const ends = new Map<string, (outcome?: JobOutcome) => void>();
  const core = {
    clock: {
      now: clock.now,
      setTimer(fn: () => void, ms: number) {
        let isOpen = true;
        const close = (): void => {
          if (isOpen) seen.timers--;
          isOpen = false;
        };
        seen.timers++;
        const cancel = clock.setTimer(() => {
          close();
          fn();
        }, ms);
        return () => {
          close();
          cancel();
        };
      },
    },
    storeClock: { now: clock.now, note() {} },
    queue: {
      async listen(onWake: (lane: string) => void) {
        seen.listens++;
        held.wake = onWake;
        return async () => void seen.listens--;
      },
    },
    storage: {
      ...storage,
      async claim(query: Parameters<typeof storage.claim>[0]) {
        seen.claims++;
        await held.claim();
        return storage.claim(query);
      },
    },
    rows: { readable: (_: string, rows: unknown[]) => rows, changes: () => 0 },
    commitTogether: (writes: Parameters<typeof storage.commit>[0]) => storage.commit(writes),
    options: {
      webhooks: { timeoutMs: 10_000 },
      logger: {
        warn: (message: string) => void seen.warnings.push(message),
        error: (message: string) => void seen.errors.push(message),
      },
    },
  } as unknown as Core;
  const worker = createWorker(core, {
    lanes: Object.fromEntries(lanes.map((lane) => [lane, () => ({ leaseMs: 60_000, inFlight, perTarget })])),
    async perform(_, row, signal) {
      seen.ran.push(row.id);
      return held.perform(row, signal);
    },
    createSettle: () => async (row) => {
      await held.settle();
      seen.stored.push(row.id);
      await storage.commit([{ op: "put", collection: "jobs", id: row.id, value: { ...row.value, due_at: null } }]);
    },
  });
  return {
    ...{ clock, storage, worker, seen, held, ends },
    /** Holds the runs of these jobs, or of all jobs, until their function in `ends` is called. */
    hold(...ids: string[]): void {
      held.perform = ({ id }) =>
        ids.length > 0 && !ids.includes(id)
          ? Promise.resolve(done)
          : new Promise((resolve) => ends.set(id, (outcome = done) => resolve(outcome)));
    },
    /** Holds claims until the returned function is called. */
    holdClaims(): () => void {
      let open = (): void => {};
      const opened = new Promise<void>((resolve) => (open = resolve));
      held.claim = () => opened;
      return () => {
        held.claim = async () => {};
        open();
      };
    },
    async plan(id: string, dueIn: number, more: object = {}): Promise<void> {
      const write = job(id, 1, { kind: "webhook", due_at: new Date(clock.now() + dueIn).toISOString(), ...more });
      await storage.commit([write]);
    },
    async go(ms: number): Promise<void> {
      clock.set(clock.now() + ms);
      await settled();
    },
    async row(id: string): Promise<JobRecord | undefined> {
      const found = (await storage.get("jobs", [id])).get(id) as Stored<JobRecord> | undefined;
      return found?.value;
    },
  };
}
