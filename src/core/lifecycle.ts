import { ApiError } from "../errors.ts";
import { HOUR_MS, systemClock } from "../lib/clock.ts";
import { loadPackages } from "../lib/packages.ts";
import type { Core } from "./core.ts";
import { faultText } from "./fault-text.ts";
import { underTest } from "./options/under-test.ts";
import type { Processes } from "./processes.ts";
import { askStoreClock } from "./store-clock.ts";

/** The requests that a start waits for come first. */
const LOAD_AFTER_MS = 1_000;
const GRACE_MS = 10_000;
const SWEEP_MS = HOUR_MS;
const ASK_CLOCK_MS = 10 * 60 * 1000;

/** The parts that start and stop with a backend; they live in higher layers. */
export interface Parts {
  readonly worker: {
    start(): Promise<void>;
    tick(): Promise<{ ran: number }>;
    stop(graceMs: number): Promise<void>;
  };
  /** Resolves when no write waits any more. */
  drained(): Promise<void>;
  /** The register of the processes that use the store. */
  readonly processes: Processes;
  /** Removes data whose retention has expired, unless another process does. Returns the milliseconds until the next call. */
  sweep(): Promise<number>;
  /** Runs once after the drivers are open, before the first request. */
  onReady?(): Promise<void>;
  /** Closes connections that no driver owns. */
  onClose(): Promise<void>;
  /** Loads what is loaded at first use, if nothing has used it by then. */
  readonly later?: readonly (() => Promise<unknown>)[];
}

export interface Lifecycle {
  /** Opens the drivers and starts the worker, once. Throws errors of a driver, and `unavailable` once closing has begun. */
  ready(): Promise<void>;
  /** Runs a request or a cleanup, which `close()` waits for. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Runs due work, for hosts that freeze the process between requests. Calls during a run share the next run. */
  runDue(): Promise<unknown>;
  /** True once `close()` was called. */
  isClosing(): boolean;
  /**
   * Refuses new work, waits at most `graceMs` (default 10,000) for running work, and closes the drivers, all of them also where
   * one throws. May be called twice. Throws the first error of a driver.
   */
  close(graceMs?: number): Promise<void>;
}

/** Opening, closing and the timers of one backend. */
export function createLifecycle(
  core: Core,
  { worker, drained, processes, sweep, onReady, onClose, later }: Parts,
): Lifecycle {
  const { options, storage, clock, telemetry } = core;
  const { logger } = options;
  let opening: Promise<void> | undefined;
  let closing: Promise<void> | undefined;
  let currentRun: Promise<unknown> | undefined;
  let nextRun: Promise<unknown> | undefined;
  let running = 0;
  let cancelTimer = (): void => {};
  let idle = (): void => {};

  return {
    ready,
    during,
    runDue() {
      nextRun ??= Promise.resolve(currentRun).then(() => {
        nextRun = undefined;
        currentRun = ready()
          .then(() => worker.tick())
          .catch((error: unknown) => logger.warn(`running due jobs failed; trying again: ${faultText(error)}`));
        return currentRun;
      });
      return nextRun;
    },
    isClosing: () => closing !== undefined,
    close: (graceMs = GRACE_MS) => (closing ??= close(graceMs)),
  };

  async function during<T>(work: () => Promise<T>): Promise<T> {
    running++;
    try {
      return await work();
    } finally {
      if (--running === 0) idle();
    }
  }

  function ready(): Promise<void> {
    if (closing)
      return Promise.reject(
        new ApiError("unavailable", { message: "The service is shutting down.", headers: { "retry-after": "1" } }),
      );
    opening ??= openDrivers().catch((error: unknown) => {
      // The next request tries again: a database that was down at start must not need a restart.
      opening = undefined;
      throw error;
    });
    return opening;
  }

  async function openDrivers(): Promise<void> {
    await Promise.all([storage.open(), telemetry.open()]);
    await processes.join({ beats: options.work !== "on-request", onRefused: refuse });
    await onReady?.();
    // A test runner ends its environment with the test, and reports each import after that.
    if (!underTest()) systemClock.setTimer(() => void loadPackages(() => closing !== undefined, later), LOAD_AFTER_MS);
    // With an injected clock the store is judged by it too.
    // Each run's claims tell the store's time, and a frozen process has no timers.
    if (options.work === "on-request") return;
    if (!options.work) return clock === systemClock ? followStoreClock() : undefined;
    await worker.start();
    sweepHourly();
  }

  /** A newer version has taken over the store while this process stood still: it must not write there any more. */
  function refuse(error: Error): void {
    if (closing) return;
    logger.error(error.message);
    opening = Promise.reject(error);
    opening.catch(() => {});
    cancelTimer();
    void worker.stop(0);
  }

  /** For a process that claims no jobs: workers learn the store's time from each claim. */
  async function followStoreClock(): Promise<void> {
    // A store that is down says so to the next request, and the clock can wait.
    await askStoreClock(core).catch(() => {});
    if (!closing) cancelTimer = clock.setTimer(followStoreClock, ASK_CLOCK_MS);
  }

  function sweepHourly(afterMs = SWEEP_MS): void {
    cancelTimer = clock.setTimer(() => {
      let next: number | undefined;
      during(sweep)
        .then((ms) => {
          next = ms;
        })
        .catch((error: unknown) => {
          // One that outlasted the grace has lost its store; the next process sweeps again.
          if (!closing) logger.warn(`the hourly cleanup failed; trying again in an hour: ${faultText(error)}`);
        })
        .finally(() => closing ?? sweepHourly(next));
    }, afterMs);
  }

  async function close(graceMs: number): Promise<void> {
    const requests =
      running === 0
        ? null
        : Promise.race([
            new Promise<void>((resolve) => (idle = resolve)),
            new Promise<void>((resolve) => setTimeout(resolve, graceMs).unref()),
          ]);
    await opening?.catch(() => {});
    cancelTimer();
    telemetry.close();
    const faults: unknown[] = [];
    /** A part that fails keeps no other one open. */
    const part = (work: () => Promise<unknown>): Promise<unknown> =>
      (async () => work())().catch((error: unknown) => faults.push(error));
    // One grace for both, so that the caller need not count twice.
    await Promise.all([requests, part(() => worker.stop(graceMs))]);
    await part(drained);
    await part(onClose);
    await part(() => processes.leave());
    await Promise.all([core.queue, core.mailer, core.blob].map((driver) => part(() => driver.close())));
    await part(() => storage.close());
    if (faults.length > 0) throw faults[0];
  }
}
