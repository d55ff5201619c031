import { enter } from "./globals.ts";
import { violations } from "./invariants.ts";
import { type Acts, act, type Forms, postsOf, visit } from "./people.ts";
import { createRandom } from "./random.ts";
import { drawSetting, type Setting } from "./setting.ts";
import { createSystem, type System } from "./system.ts";
import { createWorld, type World } from "./world.ts";

export { kindsOfFaults } from "./faults.ts";
export type { Setting } from "./setting.ts";

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
}

/** 15 March 2027, 12:00 UTC: far from the end of a month, since clocks are wrong by seconds. */
const START = 1_805_112_000_000;
const HOUR = 3_600_000;
/** Webhooks are tried for three days. */
const MOST_REST_MS = 100 * HOUR;

/**
 * Runs one seed from start to rest. `changed` puts members of the drawn setting otherwise, for shrinking; `keep` keeps the
 * history for reading.
 */
export async function runSeed(seed: number, changed: Partial<Setting> = {}, keep = false): Promise<Result> {
  const random = createRandom(seed);
  const drawn = drawSetting(random.fork("setting"));
  const setting: Setting = { ...drawn, ...changed, faults: { ...drawn.faults, ...changed.faults, on: true } };
  const world = createWorld(random, START, keep);
  const found: string[] = [];
  const leave = enter(world, (violation) => found.push(violation));
  const unhandled = (error: unknown): void => void found.push(`a promise was left to fail: ${stackOf(error)}`);
  process.on("unhandledRejection", unhandled);
  process.on("uncaughtException", unhandled);
  let system: System | undefined;
  let accepted = 0;
  try {
    system = createSystem(world, setting);
    const life = live(world, system, setting).then(
      ({ posts, ...lived }) => {
        accepted = posts.filter(({ ids }) => ids.size > 0).length;
        found.push(...violations(system!, setting, { posts, ...lived }));
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
      troubles: system?.store.troubles.length ?? 0,
    },
  };
}

/** Everything that happens, from the first process to the last job. */
async function live(world: World, system: System, setting: Setting) {
  const random = world.random.fork("life");
  const { faults } = setting;
  faults.on = false;
  const first = await system.start();
  const forms = await system.inside(first, async (backend): Promise<Forms> => {
    await backend.teams.update("default", { plan: "sim", owner: { email: "owner@example.org", email_verified: true } });
    const quiet = { self_email_notification: { enabled: false } };
    const [plain, places, unique, reply] = [
      await backend.forms.create({ name: "Plain" }),
      await backend.forms.create({ name: "Places", ...quiet, settings: { availability: { limit: setting.places } } }),
      await backend.forms.create({ name: "Unique", ...quiet, settings: { unique: { fields: ["code"] } } }),
      await backend.forms.create({ name: "Reply", ...quiet, auto_response: { enabled: true } }),
    ];
    await backend.webhooks.create(plain.id, { url: "https://hooks.example.com/a" });
    const other = random.pick(["b", "b", "gone", "never"]);
    await backend.webhooks.create(plain.id, { url: `https://hooks.example.com/${other}` });
    return { plain: plain.id, places: places.id, unique: unique.id, reply: reply.id };
  });
  faults.on = true;
  for (let n = 1; n < setting.processes; n++) await system.start();

  const posts = postsOf(world, setting, forms);
  const acts: Acts = { deleted: new Set(), tried: new Set() };
  const sometime = (): Promise<void> => world.pause(random.between(0, setting.seconds * 1_000));
  const happen = <T>(count: number, run: (n: number) => Promise<T>): Promise<T>[] =>
    Array.from({ length: Math.max(0, Math.round(count)) }, (_, n) => sometime().then(() => run(n)));
  await Promise.all([
    ...posts.map((post) => sometime().then(() => visit(world, system, post))),
    ...happen(setting.acts, (n) => act(world, system, forms, acts, n)),
    ...happen(faults.crashes, async () => {
      const all = system.running();
      if (all.length === 0) return;
      system.crash(random.pick(all));
      await world.pause(random.between(10, 20_000));
      await system.start();
    }),
    ...happen(faults.restarts, async () => {
      const all = system.running();
      if (all.length === 0) return;
      await system.start();
      await system.stop(random.pick(all));
    }),
    ...happen(faults.outages, async () => {
      world.note("the store goes down");
      system.store.down = true;
      await world.pause(random.between(100, 15_000));
      system.store.down = false;
      world.note("the store is back");
    }),
  ]);
  await world.pause(random.pick([0, 1_000, 60_000]));

  faults.on = false;
  world.note("from here on nothing fails");
  for (const one of system.running()) {
    if (random.chance(0.5)) await system.stop(one);
    else system.crash(one);
  }
  const restAt = world.now();
  const last = await system.start({ work: false });
  for (;;) {
    await system.inside(last, (backend) => backend.tick());
    const due = await system.inside(last, (backend) => backend.nextDueAt());
    if (due === null) break;
    if (world.now() - restAt > MOST_REST_MS) throw new Error(`a job is still due ${MOST_REST_MS / HOUR} hours later`);
    await world.pause(Math.max(1, due - world.now()));
  }
  // Uploads whose post was never stored are kept for a day.
  for (const hours of [25, 25]) {
    await world.pause(hours * HOUR);
    await system.inside(last, (backend) => backend.sweep());
  }
  return { forms, posts, acts, last, restAt };
}

const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));
