import { restoreOnce } from "./backups.ts";
import { flood } from "./flood.ts";
import { type Hosted, hosting } from "./host.ts";
import { correspond } from "./mails.ts";
import { type Acts, act, newActs } from "./people.ts";
import type { Setting } from "./setting.ts";
import { SHEET_URL } from "./sheet.ts";
import { OTHER_TEAM, type Running, type System } from "./system.ts";
import { edit, type Forms, newPost, type Post, postsOf, visit } from "./visitors.ts";
import type { World } from "./world.ts";

const HOUR = 3_600_000;
/** Webhooks are tried for three days. */
const MOST_REST_MS = 100 * HOUR;

/** Everything that happens, from the first process to the last job. `atRest` is called before the sweep, which mends counters. */
export async function live(world: World, system: System, setting: Setting, atRest: (so: Counted) => void) {
  const random = world.random.fork("life");
  const { faults, parts } = setting;
  faults.on = false;
  const first = await system.start();
  const forms = await system.inside(first, (backend) =>
    furnish(backend, setting, random.pick(["b", "b", "b", "b", "b", "b", "gone", "never"])),
  );
  faults.on = true;
  for (let n = 1; n < setting.processes; n++) await system.start();

  const posts = postsOf(world, setting, forms);
  const acts = newActs();
  const scene = { world, system, setting, forms, posts };
  const host = hosting(scene);
  const { hosted } = host;
  const mails = parts.talk ? correspond(world, system) : null;
  if (faults.freezes > 0) standBetweenCalls(world, system, setting);
  const sometime = (): Promise<void> => world.pause(random.between(0, setting.seconds * 1_000));
  const happen = <T>(count: number, run: (n: number) => Promise<T>): Promise<T>[] =>
    Array.from({ length: Math.max(0, Math.round(count)) }, (_, n) => sometime().then(() => run(n)));
  await Promise.all([
    ...posts.map((post) => sometime().then(() => comeAndGo(world, system, post))),
    ...happen(setting.acts + (parts.work || parts.talk || parts.erasure ? 3 : 0), (n) => act(scene, acts, n)),
    ...host.acts.map((run) => sometime().then(run)),
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
    ...happen(faults.freezes, async () => {
      const all = system.running();
      if (all.length > 0) system.freeze(random.pick(all), random.between(5_000, 200_000));
    }),
    ...happen(faults.jumps, async () => setAClock(world, system)),
    ...(parts.backups && !parts.secrets
      ? [restoreOnce(scene, { acts, hosting: host, brought: mails?.brought ?? [] })]
      : []),
    ...happen(faults.outages, async () => {
      world.note("the store goes down");
      system.store.down = true;
      await world.pause(random.between(100, 15_000));
      system.store.down = false;
      world.note("the store is back");
    }),
  ]);
  while (mails && mails.under() > 0) await world.pause(1_000);
  await world.pause(random.pick([0, 1_000, 60_000]));

  faults.on = false;
  world.note("from here on nothing fails");
  for (const one of system.running()) {
    if (random.chance(0.5)) await system.stop(one);
    else system.crash(one);
  }
  const restAt = world.now();
  const last = await system.start({ work: false });
  await rest(world, system, last, restAt);
  while (mails && mails.under() > 0) await world.pause(60_000);
  if (parts.secrets) {
    // Values that the first secret sealed are readable under the second one alone.
    const probe = newPost(posts.length, forms.plain);
    posts.push(probe);
    await visit(world, system, probe);
    await rest(world, system, last, world.now());
  }
  const unfair: string[] = [];
  if (parts.flood) {
    await flood(world, system, last, (violation) => unfair.push(violation));
    await rest(world, system, last, world.now());
  }
  atRest({ forms, hosted, acts });
  // Uploads whose post was never stored are kept for a day. What follows a form that moved is looked at once more.
  for (const hours of parts.teams ? [25, 25] : [25]) {
    await world.pause(hours * HOUR);
    await system.inside(last, (backend) => backend.sweep());
  }
  const deletion =
    hosted.deleted === "no" ? null : await system.inside(last, (backend) => backend.teams.deletion(OTHER_TEAM));
  // A mail that came late has caused deliveries of its own.
  await rest(world, system, last, world.now());
  // A commit that came after the first rest may have sent an answer just now, and its reader writes back.
  while (mails && mails.under() > 0) {
    await world.pause(60_000);
    await rest(world, system, last, world.now());
  }
  const due = await system.inside(last, (backend) => backend.nextDueAt());
  if (due !== null) throw new Error(`the store says that a job is due at ${due}, and none is`);
  return { forms, posts, acts, hosted, deletion, brought: mails?.brought ?? [], last, unfair };
}

/** The rows that the counters depend on. */
export interface Counted {
  readonly forms: Forms;
  readonly hosted: Hosted;
  readonly acts: Acts;
}

/** A visitor posts, and may change the post later. */
async function comeAndGo(world: World, system: System, post: Post): Promise<void> {
  await visit(world, system, post);
  if (post.editUrl === null) return;
  const random = world.random.fork(`edits${post.n}`);
  for (let n = random.between(0, 2); n > 0; n--) {
    await world.pause(random.between(0, 20_000));
    await edit(world, system, post);
  }
}

/** Has processes stand still between two calls of a batch for a sheet, often for longer than its lease. By chance alone it is rare. */
function standBetweenCalls(world: World, system: System, { faults }: Setting): void {
  const random = world.random.fork("between calls");
  system.sheet.onAnswer = (process) => {
    if (faults.on && random.chance(0.1)) system.freeze({ process }, random.between(30_000, 300_000));
  };
}

function setAClock(world: World, system: System): void {
  const random = world.random.fork(`clock ${world.now()}`);
  const all = system.running();
  const by = random.pick([-600, -60, -5, 5, 60, 600]) * 1_000;
  if (all.length > 0 && random.chance(0.7)) {
    const { process } = random.pick(all);
    process.drift += by;
    world.note(`the clock of ${process.name} is set by ${by / 1_000} s`);
    return;
  }
  // Leases have to outlast it.
  system.store.drift += random.between(-10_000, 10_000);
  world.note(`the clock of the store is set: ${system.store.drift / 1_000} s ahead`);
}

/** Does what is due until nothing is. */
async function rest(world: World, system: System, last: Running, from: number): Promise<void> {
  for (;;) {
    await system.inside(last, (backend) => backend.tick());
    // Past the port, since each question costs as much as a job.
    const due = system.store.nextDue();
    if (due === null) return;
    if (world.now() - from > MOST_REST_MS) throw new Error(`a job is still due ${MOST_REST_MS / HOUR} hours later`);
    await world.pause(Math.max(1, due - system.store.now()));
  }
}

export async function furnish(
  { teams, forms, webhooks }: Running["backend"],
  setting: Setting,
  other: string,
): Promise<Forms> {
  const { parts } = setting;
  await teams.update("default", { plan: "sim", owner: { email: "owner@example.org", email_verified: true } });
  const quiet = { self_email_notification: { enabled: false } };
  const edit = parts.edit ? { edit: { enabled: true } } : {};
  const plain = await forms.create({ name: "Plain", settings: edit });
  const places = await forms.create({
    name: "Places",
    ...quiet,
    settings: { availability: { limit: setting.places } },
  });
  const unique = await forms.create({ name: "Unique", ...quiet, settings: { unique: { fields: ["code"] }, ...edit } });
  const reply = await forms.create({ name: "Reply", ...quiet, auto_response: { enabled: true } });
  await webhooks.create(plain.id, { url: "https://hooks.example.com/a" });
  await webhooks.create(plain.id, { url: `https://hooks.example.com/${other}` });
  if (parts.sheet) await webhooks.create(plain.id, { url: SHEET_URL, format: "google_sheets", config: {} });
  const all = { plain: plain.id, places: places.id, unique: unique.id, reply: reply.id };
  if (!parts.teams) return all;
  await teams.create({ id: OTHER_TEAM, name: "Other", plan: "large", owner: { email: "other@example.org" } });
  const own = await forms.create({ name: "Other", auto_response: { enabled: true } }, { team_id: OTHER_TEAM });
  await webhooks.create(own.id, { url: "https://hooks.example.com/a" });
  return { ...all, other: own.id };
}
