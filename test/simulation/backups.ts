import type { Hosted, Hosting } from "./host.ts";
import type { Brought } from "./mails.ts";
import type { Acts, Scene } from "./people.ts";

/** Records of the answers that people, the host and the mail service got. A restore takes some of them back. */
interface Told {
  readonly acts: Acts;
  readonly hosting: Hosting;
  readonly brought: Brought[];
}

/**
 * Has the host make a copy and put it back later, as the docs on backups say: files after the database, the app stopped meanwhile, and erasures
 * repeated. What was told after the copy is no longer so; all else is.
 */
export async function restoreOnce({ world, system, setting, posts }: Scene, told: Told): Promise<void> {
  const random = world.random.fork("backups");
  const { store, outside } = system;
  await world.pause(random.between(0, setting.seconds * 1_000));
  world.note("the host copies the database");
  const copied = world.now();
  const putBack = store.copy();
  const rows = (collection: string) => putBack.rows(collection);
  const tried = new Set(told.acts.tried);
  const hosted: Hosted = { ...told.hosting.hosted };
  await world.pause(random.between(0, 3_000));
  world.note("the host copies the files");
  const files = new Map(outside.files);
  await world.pause(random.between(0, setting.seconds * 2_000));

  await system.standStill(() => {
    world.note("the host puts the copies back");
    putBack();
    outside.files.clear();
    for (const [key, file] of files) outside.files.set(key, file);
    const named = new Set(rows("files").map(({ id }) => id));
    const strays = [...files].filter(([key, { at }]) => at >= copied && !named.has(key)).map(([key]) => key);
    system.restores.push({ copied, at: world.now(), strays: new Set(strays) });

    const texts = new Map<string, string>();
    const has = (collection: string, text: string): boolean => {
      const known = texts.get(collection) ?? JSON.stringify(rows(collection));
      texts.set(collection, known);
      return known.includes(text);
    };
    const there = new Set(
      ["submissions", "trashed_submissions", "pending_submissions"].flatMap((name) => rows(name).map(({ id }) => id)),
    );
    for (const post of posts) {
      for (const id of [...post.ids]) {
        if (there.has(id) || tried.has(id)) continue;
        post.ids.delete(id);
        post.isUndone = true;
      }
      if (post.edited !== null && !has("submissions", `"${post.edited}"`)) post.edited = null;
    }
    const { acts, brought } = told;
    for (const id of [...acts.deleted]) if (there.has(id)) acts.deleted.delete(id);
    for (const [key, id] of [...acts.answers]) if (!has("messages", id)) acts.answers.delete(key);
    const kept = brought.filter(
      ({ kind, canary, email, result }) =>
        result === null || (kind === "mail" ? has("messages", canary) : has("suppressions", `"${email}"`)),
    );
    brought.splice(0, brought.length, ...kept);
  });

  const erased = [...told.acts.erased];
  await Promise.all([
    ...erased.map((email) => told.hosting.erase(email)),
    ...(told.hosting.hosted.deleted === "yes" && hosted.deleted !== "yes" ? [told.hosting.deleteTeam()] : []),
    ...(told.hosting.hosted.moved === "yes" && hosted.moved !== "yes" ? [told.hosting.moveForm()] : []),
  ]);
}
