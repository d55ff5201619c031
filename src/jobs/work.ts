import { setMaxListeners } from "node:events";
import type { Core } from "../core.ts";
import type { Lane } from "../drivers/queue/types.ts";
import type { Stored } from "../drivers/storage/types.ts";
import { iso, systemClock } from "../lib/clock.ts";
import { describe, perform } from "./perform.ts";
import { createPlaces, type Places } from "./places.ts";
import type { JobRecord } from "./schema.ts";
import { createSettle } from "./settle.ts";

const POLL_MS = 1_000;
const EMAIL_LEASE_MS = 120_000;
const TOP_UP_MS = 50;

type Work = "webhook" | "email";
const lanes: readonly Work[] = ["webhook", "email"];

export interface Worker {
  /** Claims and runs what is due from now on. */
  start(): Promise<void>;
  /** Runs everything that is due now, once, and answers how many runs that were. */
  tick(): Promise<{ ran: number }>;
  /** Stops claiming, waits for what runs at most `graceMs`, then aborts it and gives its leases back. */
  stop(graceMs: number): Promise<void>;
}

/** Sleeps until a wake, the next due time or a second, whichever is first; then claims until dry. The store alone says what is due. */
export function createWorker(core: Core): Worker {
  const { webhooks } = core.options;
  const leaseMs = { webhook: 4 * webhooks.timeoutMs, email: EMAIL_LEASE_MS };
  const time = (): number => core.clock.now();
  const state = {
    webhook: newLane(createPlaces({ inFlight: webhooks.concurrency, perTarget: webhooks.perWebhook }, time)),
    // One owner often gets every mail of a form, and its server is the same for all: no share per address.
    email: newLane(createPlaces({ inFlight: 16, perTarget: 16 }, time)),
  };
  const running = new Map<string, { row: Stored<JobRecord>; done: Promise<void> }>();
  const claims = new Set<Promise<unknown>>();
  const aborting = new AbortController();
  // Every attempt in flight listens to it; that many listeners are no leak.
  setMaxListeners(0, aborting.signal);
  const settle = createSettle(core, aborting.signal);
  let stopListening: (() => Promise<void>) | undefined;
  let started = false;
  let stopped = false;

  return {
    async start() {
      if (started || stopped) return;
      stopListening = await core.queue.listen((lane) => pump(lane));
      started = true;
      for (const lane of lanes) pump(lane);
    },
    async tick() {
      let ran = 0;
      // A run may make more work due (a redelivery, a next kind), so the lanes are gone through until both are dry.
      for (let before = -1; before !== ran && !stopped; ) {
        before = ran;
        for (const lane of lanes) ran += await drain(lane);
      }
      return { ran };
    },
    async stop(graceMs) {
      stopped = true;
      for (const lane of lanes) state[lane].cancelTimer();
      await stopListening?.();
      await Promise.allSettled(claims);
      const all = () => Promise.allSettled([...running.values()].map(({ done }) => done));
      let cancel = (): void => {};
      await Promise.race([all(), new Promise<void>((resolve) => (cancel = systemClock.setTimer(resolve, graceMs)))]);
      cancel();
      const left = [...running.values()];
      aborting.abort();
      await Promise.all(left.map(({ row }) => giveBack(row)));
      await all();
    },
  };

  /** Starts what there is room for; runs again when a job ends, a wake comes or a timer fires. */
  function pump(name: Lane): void {
    if (name === "maintenance" || stopped || !started) return;
    const lane = state[name];
    if (lane.claiming) {
      lane.again = true;
      return;
    }
    lane.claiming = true;
    lane.ended = false;
    lane.places.forget();
    lane.cancelTimer();
    lane.wakesAt = Infinity;
    fill(name)
      .catch((error: unknown) => {
        core.options.logger.warn(`claiming ${name} jobs failed, trying again in a second: ${describe(error)}`);
        return null;
      })
      .then((next) => {
        lane.claiming = false;
        if (stopped) return;
        if (lane.again) {
          lane.again = false;
          pump(name);
          return;
        }
        if (next !== "full") {
          const poll = POLL_MS * (0.8 + Math.random() * 0.4);
          sleep(name, Math.max(0, Math.min(poll, next === null ? poll : next - core.storeClock.now())));
        }
        if (lane.ended) freed(name);
      });
  }

  function sleep(name: Work, ms: number): void {
    const lane = state[name];
    lane.cancelTimer();
    lane.wakesAt = core.clock.now() + ms;
    lane.cancelTimer = core.clock.setTimer(() => pump(name), ms);
  }

  /**
   * Looks for more after a run has made room: soon where the last claim left nothing that there is room for now, since another
   * process may have held what it did not see.
   */
  function freed(name: Work): void {
    const lane = state[name];
    if (stopped || !started) return;
    if (lane.claiming) lane.ended = true;
    else if (lane.places.worthAClaim(lane.places.perClaim())) pump(name);
    else if (lane.wakesAt > core.clock.now() + TOP_UP_MS) sleep(name, TOP_UP_MS);
  }

  /** Claims until dry or full; answers when to look again. */
  async function fill(name: Work): Promise<number | null | "full"> {
    const lane = state[name];
    const { places } = lane;
    for (let perTarget = places.perClaim(); ; ) {
      if (places.isFull()) return "full";
      const rows = await claim(name, perTarget);
      for (const row of rows) {
        void run(name, row).finally(() => freed(name));
      }
      if (stopped) return null;
      if (rows.length > 0 && places.worthAClaim(perTarget)) continue;
      const now = core.storeClock.now();
      if (perTarget > 1 && places.hasCrumbs(perTarget)) {
        // One by one, the last places of a share cost a claim each: now and then, so that a long queue goes by batches.
        if (now < lane.toppedUpAt + TOP_UP_MS) return lane.toppedUpAt + TOP_UP_MS;
        lane.toppedUpAt = now;
        perTarget = 1;
        continue;
      }
      // What is due but was not claimed waits for its target; a run that ends pumps again.
      const next = await core.storage.nextDueAt(name);
      return next !== null && next <= now ? null : next;
    }
  }

  async function drain(name: Work): Promise<number> {
    let ran = 0;
    while (!stopped) {
      const rows = await claim(name, state[name].places.perClaim());
      if (rows.length === 0) {
        // What is claimed already, here or by the running worker, belongs to this tick too.
        const mine = [...running.values()].filter(({ row }) => row.value.lane === name);
        if (mine.length === 0) break;
        await Promise.allSettled(mine.map(({ done }) => done));
        continue;
      }
      ran += rows.length;
      await Promise.all(rows.map((row) => run(name, row)));
    }
    return ran;
  }

  async function claim(name: Work, perTarget: number): Promise<Stored<JobRecord>[]> {
    const claimed = claimDue(name, perTarget).then(async (rows) => {
      // Asked for before `stop`, answered after it: nobody would run them.
      if (stopped) await Promise.all(rows.map(giveBack));
      return stopped ? [] : rows;
    });
    claims.add(claimed);
    return claimed.finally(() => claims.delete(claimed));
  }

  /** At most so many of each target, and of none whose share they might exceed. */
  async function claimDue(name: Work, perTarget: number): Promise<Stored<JobRecord>[]> {
    const { places } = state[name];
    const asked = places.claimable(perTarget);
    const askedAt = core.clock.now();
    const { now: judgedAt, jobs } = await core.storage.claim({
      ...asked,
      lane: name,
      leaseMs: leaseMs[name],
      // Only an injected clock overrules the database's own.
      now: core.clock === systemClock ? undefined : core.clock.now(),
    });
    core.storeClock.note(judgedAt, askedAt);
    const rows = jobs as unknown as Stored<JobRecord>[];
    places.claimed(
      asked,
      rows.map(({ value }) => value.target),
    );
    return rows;
  }

  function run(name: Work, row: Stored<JobRecord>): Promise<void> {
    const giveUpPlace = state[name].places.take(row.value.target);
    const done = runAndSettle(row).finally(() => {
      running.delete(row.id);
      giveUpPlace();
    });
    running.set(row.id, { row, done });
    return done;
  }

  async function runAndSettle(row: Stored<JobRecord>): Promise<void> {
    const { signal } = aborting;
    const outcome = await perform(core, row, signal);
    if (signal.aborted && outcome.status !== "succeeded") return;
    state[row.value.lane].places.note(row.value.target, outcome);
    try {
      await settle(row, outcome);
    } catch (error) {
      core.options.logger.error(
        `the result of job ${row.id} could not be stored, so it will run again: ${describe(error)}`,
      );
    }
  }

  async function giveBack(row: Stored<JobRecord>): Promise<void> {
    const value = { ...row.value, leased: false, due_at: iso(core.storeClock.now()) };
    await core.storage
      .commit([{ op: "put", collection: "jobs", id: row.id, value, expect: row.version }])
      .catch(() => {});
  }
}

interface LaneState {
  readonly places: Places;
  claiming: boolean;
  /** While it was claiming, a wake came. */
  again: boolean;
  /** While it was claiming, a run ended. */
  ended: boolean;
  cancelTimer: () => void;
  /** When the timer is due. */
  wakesAt: number;
  /** When the last places of shares were given out. */
  toppedUpAt: number;
}

const newLane = (places: Places): LaneState => ({
  places,
  claiming: false,
  again: false,
  ended: false,
  cancelTimer: () => {},
  wakesAt: Infinity,
  toppedUpAt: 0,
});
