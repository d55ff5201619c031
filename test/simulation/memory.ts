import { collections } from "../../src/model/collections.ts";
import { enter } from "./globals.ts";
import { furnish } from "./live.ts";
import { correspond } from "./mails.ts";
import { act, newActs } from "./people.ts";
import { createRandom } from "./random.ts";
import { drawSetting, partsOfLife, type Setting, START } from "./setting.ts";
import { createSystem } from "./system.ts";
import { edit, newPost, visit } from "./visitors.ts";
import { createWorld, type World } from "./world.ts";

const HOUR = 3_600_000;
const parts = new Set(["sheet", "talk", "work", "edit", "erasure"]);

/**
 * Bytes of the heap each time that one process has come to rest after a wave of visitors whose submissions are deleted, a day of its
 * time after the one before. Takes what collects garbage, as `node --expose-gc` has it.
 */
export async function memoryAtRest(seed: number, waves: number, visitors: number, gc: () => void): Promise<number[]> {
  const random = createRandom(seed);
  const drawn = drawSetting(random.fork("setting"));
  const setting: Setting = {
    ...drawn,
    processes: 1,
    visitors,
    places: waves * visitors,
    values: waves * visitors,
    month: null,
    parts: Object.fromEntries(partsOfLife.map((part) => [part, parts.has(part)])) as Setting["parts"],
    faults: {
      ...drawn.faults,
      slow: 0.03,
      refused: 0.02,
      lost: 0.03,
      failing: 0.2,
      unheard: 0.05,
      late: 0.02,
      drift: 0,
    },
  };
  const world = createWorld(random, START, false);
  const found: string[] = [];
  const leave = enter(world, (violation) => found.push(violation), false);
  const bytes: number[] = [];
  try {
    let isOver = false;
    const lived = liveInWaves(world, setting, waves, () => {
      gc();
      bytes.push(process.memoryUsage().heapUsed);
    }).finally(() => (isOver = true));
    await world.run(() => isOver, 10_000_000);
    await lived;
  } finally {
    leave();
  }
  if (found[0] !== undefined) throw new Error(found[0]);
  return bytes;
}

async function liveInWaves(world: World, setting: Setting, waves: number, atRest: () => void): Promise<void> {
  const random = world.random.fork("waves");
  const { faults } = setting;
  const system = createSystem(world, setting);
  const { store, outside } = system;
  faults.on = false;
  const one = await system.start();
  const forms = await system.inside(one, (backend) => furnish(backend, setting, "b"));
  const furnished = store.copy();
  for (let wave = 0; wave < waves; wave++) {
    faults.on = true;
    const mails = correspond(world, system);
    const posts = Array.from({ length: setting.visitors }, (_, n) => ({
      ...newPost(wave * setting.visitors + n, random.pick(Object.values(forms))),
      value: `value ${wave} ${n}`,
      hasFile: random.chance(0.3),
    }));
    const scene = { world, system, setting, forms, posts };
    const acts = newActs();
    const sometime = (): Promise<void> => world.pause(random.between(0, 10 * 60_000));
    await Promise.all([
      ...posts.map(async (post) => {
        await sometime();
        await visit(world, system, post);
        await edit(world, system, post);
      }),
      ...posts.map(async ({ n }) => {
        await sometime();
        await act(scene, acts, n);
      }),
    ]);
    faults.on = false;
    while (store.nextDue() !== null || mails.under() > 0) await world.pause(60_000);
    for (const { id, value } of store.rows("submissions"))
      await system.inside(one, (backend) => backend.submissions.delete(String(value["form_id"]), id));
    // Uploads whose post was never stored are kept for a day.
    await world.pause(25 * HOUR);
    await system.inside(one, (backend) => backend.sweep());
    // The lists of what receivers, mail servers and the sheet took, and the rows of logs, would grow with each wave.
    outside.hooks.length = 0;
    outside.mails.length = 0;
    system.sheet.empty();
    const logs = Object.keys(collections).flatMap((collection) => {
      const kept = new Set(furnished.rows(collection).map(({ id }) => id));
      const rows = store.rows(collection).filter(({ id }) => !kept.has(id));
      return rows.map(({ id }) => ({ op: "remove" as const, collection, id }));
    });
    await system.inside(one, () => store.driver(one.process).commit(logs));
    await world.pause(HOUR);
    atRest();
  }
}
