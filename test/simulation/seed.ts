import { enter } from "./globals.ts";
import { miscounted, violations } from "./invariants.ts";
import { live } from "./live.ts";
import type { Outside } from "./outside.ts";
import { createRandom } from "./random.ts";
import { type Changed, drawSetting, type Setting, START } from "./setting.ts";
import { createSystem, type System } from "./system.ts";
import { watch } from "./watch.ts";
import { createWorld } from "./world.ts";

export { kindsOfFaults } from "./faults.ts";
export { memoryAtRest } from "./memory.ts";
export type { Setting } from "./setting.ts";
export { partsOfLife } from "./setting.ts";

/** What a seed did, and what it broke. */
export interface Result {
  readonly seed: number;
  readonly setting: Setting;
  /** Promises that do not hold, each a sentence; empty where all do. */
  readonly violations: readonly string[];
  /** Of the whole history, so that two runs of a seed can be compared. */
  readonly digest: string;
  readonly history: readonly string[];
  readonly counts: Counts;
}

export interface Counts {
  readonly events: number;
  readonly virtualMs: number;
  readonly posts: number;
  readonly accepted: number;
  readonly jobs: number;
  readonly crashes: number;
  readonly troubles: number;
  /** Answers of the store, receivers and mail servers that were lost. */
  readonly lost: number;
}

/**
 * Runs one seed from start to rest. `changed` puts members of the drawn setting otherwise, for shrinking; `keep` keeps the
 * history for reading, and the traces of errors.
 */
export async function runSeed(seed: number, changed: Changed = {}, keep = false): Promise<Result> {
  const random = createRandom(seed);
  const drawn = drawSetting(random.fork("setting"));
  const setting: Setting = {
    ...drawn,
    ...changed,
    parts: { ...drawn.parts, ...changed.parts },
    faults: { ...drawn.faults, ...changed.faults, on: true },
  };
  const world = createWorld(random, START, keep);
  const found: string[] = [];
  const leave = enter(world, (violation) => found.push(violation), keep);
  const unhandled = (error: unknown): void => void found.push(`a promise was left to fail: ${stackOf(error)}`);
  process.on("unhandledRejection", unhandled);
  process.on("uncaughtException", unhandled);
  let system: System | undefined;
  let accepted = 0;
  try {
    system = createSystem(world, setting);
    const watched = watch(system, setting, (violation) => found.push(violation));
    const life = live(world, system, setting, (so) => found.push(...miscounted(system!, so))).then(
      (lived) => {
        accepted = lived.posts.filter(({ ids }) => ids.size > 0).length;
        found.push(...violations(system!, setting, lived, watched));
      },
      (error: unknown) => void found.push(stackOf(error)),
    );
    let isOver = false;
    void life.then(() => (isOver = true));
    await world.run(() => isOver || found.length > 0);
    if (!isOver && found.length === 0) found.push("nothing is left to happen, and something still waits");
  } catch (error) {
    found.push(stackOf(error));
  } finally {
    process.off("unhandledRejection", unhandled);
    process.off("uncaughtException", unhandled);
    leave();
  }
  return {
    seed,
    setting,
    violations: found,
    digest: world.digest(),
    history: world.history,
    counts: {
      events: world.events(),
      virtualMs: world.now() - START,
      posts: setting.visitors,
      accepted,
      jobs: system?.store.rows("jobs").length ?? 0,
      crashes: system?.crashes.length ?? 0,
      troubles: system?.store.failed.calls ?? 0,
      lost: system ? system.store.failed.lost + unheard(system.outside) : 0,
    },
  };
}

function unheard({ hooks, mails }: Outside): number {
  return [...hooks, ...mails].filter(({ isHeard }) => !isHeard).length;
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
