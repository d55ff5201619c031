import { setMaxListeners } from "node:events";
import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import { systemClock } from "../../lib/clock.ts";
import { type LaneState, newLaneState } from "./lane-state.ts";
import { createLastChances, MAX_LOST } from "./last-chance.ts";
import { beginLastChance, claimDue, giveAllBack, giveBack } from "./leases.ts";
import { type ClaimedJob, readingTogether } from "./reads.ts";
import type { Doing, Worker } from "./worker.ts";

const POLL_MS = 1_000;
/** Another process may have had jobs that the last claim did not see, so claim again this long after a run. */
const AGAIN_MS = 50;
/** Time between jobs with a last chance. */
const APART_MS = 250;

/**
 * A running job. Emptied when it ends: a map with many additions and removals keeps its former layouts, and their content,
 * until a full garbage collection.
 */
interface Running {
  row: ClaimedJob | undefined;
  done: Promise<void> | undefined;
}

/**
 * Sleeps until a wake, the next due time or a second, whichever is first; then claims jobs to run now and next. Only the store
 * decides which jobs are due.
 */
export function createWorker(core: Core, { lanes, perform, createSettle }: Doing): Worker {
  const now = (): number => core.clock.now();
  const states = new Map(
    Object.entries(lanes).map(([name, row]) => [name, newLaneState(name, row(core.options), now)]),
  );
  const running = new Map<string, Running>();
  const claims = new Set<Promise<unknown>>();
  const lastChances = createLastChances({
    begin: (row) => beginLastChance(core, row),
    giveBack: (row, afterMs) => giveBack(core, row, afterMs),
  });
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
      stopListening = await core.queue.listen((name) => look(states.get(name)));
      started = true;
      for (const lane of states.values()) look(lane);
    },
    async tick() {
      let ran = 0;
      // A run may make more work due (a redelivery, a next kind), so the lanes are gone through until all are dry.
      for (let before = -1; before !== ran && !stopped; ) {
        before = ran;
        for (const lane of states.values()) ran += await drain(lane);
      }
      return { ran };
    },
    async stop(graceMs) {
      stopped = true;
      for (const lane of states.values()) lane.cancelTimer();
      await stopListening?.();
      await Promise.allSettled(claims);
      await giveAllBack(
        core,
        [...states.values()].flatMap(({ queue }) => queue.takeBack(true)),
      );
      const all = () => Promise.allSettled([...running.values()].map(({ done }) => done));
      let cancel = (): void => {};
      await Promise.race([all(), new Promise<void>((resolve) => (cancel = systemClock.setTimer(resolve, graceMs)))]);
      cancel();
      const left = [...running.values()];
      aborting.abort();
      await giveAllBack(
        core,
        left.flatMap(({ row }) => row ?? []),
      );
      await all();
    },
  };

  /** Claims until the lane is full or dry, and plans the next look. A newer process may wake lanes that this version does not know. */
  function look(lane: LaneState | undefined): void {
    if (!lane || stopped || !started) return;
    lane.wokenWhileClaiming = lane.claiming;
    if (lane.claiming) return;
    lane.claiming = true;
    lane.runEndedWhileClaiming = false;
    lane.cancelTimer();
    lane.wakesAt = Infinity;
    fill(lane)
      .catch((error: unknown) => {
        core.options.logger.warn(`claiming ${lane.name} jobs failed; trying again in a second: ${faultText(error)}`);
        return POLL_MS;
      })
      .then((ms) => {
        lane.claiming = false;
        if (lane.wokenWhileClaiming) look(lane);
        else sleep(lane, lane.runEndedWhileClaiming ? Math.min(ms, AGAIN_MS) : ms);
      });
  }

  function sleep(lane: LaneState, ms: number): void {
    if (stopped) return;
    lane.cancelTimer();
    lane.wakesAt = now() + ms;
    lane.cancelTimer = core.clock.setTimer(() => {
      begin(lane);
      look(lane);
    }, ms);
  }

  /** Returns how long to sleep. */
  async function fill(lane: LaneState): Promise<number> {
    do await claim(lane, false, APART_MS);
    while (!stopped && lane.queue.isWorthAClaim());
    if (lane.queue.hasTroubledRoom()) {
      // Two at a time, targets in trouble would cost a claim for each pair.
      if (now() < lane.carefulAt + AGAIN_MS) return AGAIN_MS;
      lane.carefulAt = now();
      await claim(lane, true, APART_MS);
    }
    const poll = POLL_MS * (0.8 + Math.random() * 0.4);
    const due = await core.storage.nextDueAt(lane.name);
    // Due jobs that were not claimed wait for their target; the next finished run claims again.
    const ms = due === null ? poll : due - core.storeClock.now();
    return ms > 0 ? Math.min(poll, ms) : poll;
  }

  /** Runs everything that is due in a lane; returns how many runs began. */
  async function drain(lane: LaneState): Promise<number> {
    const { queue, name } = lane;
    const before = lane.runsBegun;
    // Jobs already claimed belong to this tick too. It does not wait for all of them, so a target that hangs delays no other.
    const mine = () => [...running.values()].filter(({ row }) => row?.value.lane === name);
    for (let isFirst = true; !stopped; isFirst = false) {
      begin(lane);
      const isIdle = mine().length === 0;
      const begunBefore = lane.runsBegun;
      let found = isFirst || isIdle || queue.isWorthAClaim() ? await claim(lane, false, 0) : 0;
      if (found === 0 && queue.hasTroubledRoom()) found = await claim(lane, true, 0);
      if (lane.runsBegun > begunBefore) continue;
      if (found > 0) await running.get(lastChances.current() ?? "")?.done;
      else if (isIdle && !queue.isWaiting()) break;
      // The last run may have ended during the claim, and a race of nothing never ends.
      else if (mine().length > 0) await Promise.race(mine().map(({ done }) => done));
    }
    return lane.runsBegun - before;
  }

  /** Claims as many jobs as there is room for and starts those that may run. Returns the number of jobs found. */
  async function claim(lane: LaneState, careful: boolean, apartMs: number): Promise<number> {
    // The store counts the lease from a later moment on.
    const leasedUntil = performance.now() + lane.row.leaseMs;
    const claimed = claimDue(core, lane, careful).then(async (found) => {
      const jobs = stopped ? found : await lastChances.admit(found, apartMs);
      // The claim was sent before `stop` and came back after it: nobody would run these jobs.
      if (stopped) await giveAllBack(core, jobs);
      else accept(lane, readingTogether(core, jobs, leasedUntil));
      return found.length;
    });
    claims.add(claimed);
    return claimed.finally(() => claims.delete(claimed));
  }

  function accept(lane: LaneState, jobs: readonly ClaimedJob[]): void {
    for (const job of jobs) {
      // A lease expired because a clock was changed: the current run continues, and its success wins.
      if (running.has(job.id)) continue;
      if (job.value.lost < MAX_LOST - 1) {
        lane.queue.add(job);
        continue;
      }
      // In the queue, its last lease would be lost if another job ends this process.
      lane.queue.take(job.value.target);
      run(lane, job);
    }
    begin(lane);
  }

  /** Starts the jobs that may run, and returns those that have waited too long. */
  function begin(lane: LaneState): void {
    if (stopped) return;
    const late = lane.queue.takeBack();
    if (late.length > 0) void giveAllBack(core, late);
    for (let job = lane.queue.next(); job; job = lane.queue.next()) run(lane, job);
  }

  function run(lane: LaneState, row: ClaimedJob): void {
    lane.runsBegun++;
    const entry: Running = { row, done: undefined };
    running.set(row.id, entry);
    entry.done = runAndSettle(lane, row).finally(() => {
      running.delete(row.id);
      entry.row = entry.done = undefined;
      lastChances.ended(row.id);
      lane.queue.stored();
      begin(lane);
    });
  }

  async function runAndSettle(lane: LaneState, row: ClaimedJob): Promise<void> {
    const { signal } = aborting;
    // A job that ends without a result keeps its row as it is, and comes again when its lease has run out.
    const outcome = await perform(core, row, signal).catch((error: unknown) => {
      core.options.logger.error(`job ${row.id} ended without a result, so it will run again: ${faultText(error)}`);
      return undefined;
    });
    const isStored = outcome?.status === "succeeded" || !signal.aborted;
    const settled = outcome && isStored ? settle(row, outcome) : undefined;
    lane.queue.ended(row.value.target, outcome ?? { status: "retry", code: "" });
    begin(lane);
    if (lane.claiming) lane.runEndedWhileClaiming = true;
    else if (lane.queue.isWorthAClaim()) look(lane);
    else if (started && lane.wakesAt > now() + AGAIN_MS) sleep(lane, AGAIN_MS);
    try {
      await settled;
    } catch (error) {
      core.options.logger.error(
        `the result of job ${row.id} could not be stored, so it will run again: ${faultText(error)}`,
      );
    }
  }
}
