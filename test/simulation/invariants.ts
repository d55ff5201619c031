import { type CollectionName, collections } from "../../src/model/collections.ts";
import { recordLeaves } from "../../src/model/records.ts";
import { floodTeams } from "./flood.ts";
import { lostParts } from "./invariants-parts.ts";
import { wrongSends } from "./invariants-sends.ts";
import type { Counted, live } from "./live.ts";
import type { Setting } from "./setting.ts";
import type { System } from "./system.ts";
import type { Post } from "./visitors.ts";
import type { Watched } from "./watch.ts";

export type Lived = Awaited<ReturnType<typeof live>>;

export interface Row {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: rows of every collection
  readonly value: any;
  /** Its value as JSON. */
  readonly text: string;
}

/** The rows at rest, and a function that tells of a broken promise. */
export interface Rest {
  readonly system: System;
  readonly setting: Setting;
  readonly lived: Lived;
  readonly watched: Watched;
  rows(collection: string): readonly Row[];
  say(violation: string): void;
}

/** Acts after which a place or a value may be taken twice, since people may do that. */
const OVERRULING = ["ham", "restore"];
/** Acts that free places. */
const FREEING = ["spam", "delete", "trash", "erase"];

/** The promises that do not hold at rest, each a sentence. */
export function violations(system: System, setting: Setting, lived: Lived, watched: Watched): string[] {
  const found: string[] = [];
  const kept = new Map<string, readonly Row[]>();
  const rest: Rest = {
    system,
    setting,
    lived,
    watched,
    say: (violation) => void found.push(violation),
    rows(collection) {
      const known = kept.get(collection);
      if (known) return known;
      const rows = system.store.rows(collection).map(({ id, value }) => ({
        id,
        // Records of the version before lack members that this one reads as their defaults.
        value: setting.parts.versions ? recordLeaves[collection as CollectionName].read(value) : value,
        text: JSON.stringify(value),
      }));
      kept.set(collection, rows);
      return rows;
    },
  };
  found.push(...lived.unfair);
  for (const post of lived.posts) wrongPost(rest, post);
  notGone(rest);
  oversold(rest);
  wrongSends(rest);
  lostParts(rest);
  wrongFiles(rest);
  const { pending } = lived.last.process;
  if (pending > 20) rest.say(`the last process at rest has ${pending} timers`);
  return found;
}

/** Each 2xx is stored exactly once, and nothing that was refused is there. */
function wrongPost({ lived, rows, say }: Rest, post: Post): void {
  const isOfDeletedTeam = post.form === lived.forms.other && lived.hosted.deleted !== "no";
  const refusals = ["form_full", "validation_failed"];
  if (isOfDeletedTeam) refusals.push("form_not_found", "form_inactive", "not_found", "team_inactive");
  const has = ({ text }: Row): boolean => text.includes(`"${post.canary}"`);
  const stored = [...rows("submissions").filter(has), ...rows("trashed_submissions").filter(has)];
  const wasDeleted = isOfDeletedTeam || [...post.ids].some((id) => lived.acts.tried.has(id));
  const [id] = post.ids;
  if (post.ids.size > 1) say(`visitor ${post.n} was told different ids for one post: ${[...post.ids].join(", ")}`);
  if (stored.length > 1) say(`visitor ${post.n}'s post is stored ${stored.length} times`);
  if (id && stored.length === 0 && !wasDeleted) say(`visitor ${post.n} got a 2xx, and nothing is stored`);
  if (id && stored[0] && stored[0].id !== id) say(`visitor ${post.n} was told ${id}, and ${stored[0].id} is stored`);
  if (!id && post.refusal !== null && post.unclear === 0 && !post.isUndone && stored.length > 0)
    say(`visitor ${post.n} was refused (${post.refusal}), and the post is stored`);
  if (!id && post.refusal === null && !post.isUndone) say(`visitor ${post.n} never got an answer`);
  if (post.refusal !== null && !refusals.includes(post.refusal))
    say(`visitor ${post.n} was refused with ${post.refusal}`);
  if (post.edited !== null && stored[0] && !stored[0].text.includes(`"${post.edited}"`))
    say(`visitor ${post.n} changed the post with a 2xx, and the change is not stored`);
}

/** A deleted submission is gone from every table and from what waits to be sent, with all that is about it. */
function notGone({ lived, rows, say }: Rest): void {
  const there = new Set(
    ["submissions", "trashed_submissions", "pending_submissions"].flatMap((name) => rows(name).map(({ id }) => id)),
  );
  for (const id of lived.acts.deleted) {
    if (there.has(id)) say(`${id} was deleted, and is stored`);
    const post = lived.posts.find(({ ids }) => ids.has(id));
    if (!post) continue;
    for (const collection of Object.keys(collections))
      for (const row of rows(collection))
        if (row.text.includes(post.canary)) say(`${id} was deleted, and ${collection} ${row.id} still has its words`);
  }
  for (const collection of ["messages", "activities", "files"])
    for (const { id, value } of rows(collection))
      if (!there.has(value.submission_id)) say(`${collection} ${id} is about ${value.submission_id}, which is gone`);
}

/** Places, values and the month. */
function oversold({ system, setting, lived, rows, say }: Rest): void {
  const { kinds } = lived.acts;
  const live = (form: string) => rows("submissions").filter(({ value }) => value.form_id === form && !value.spam);
  const placed = live(lived.forms.places).length;
  const isOverruled = OVERRULING.some((kind) => kinds.has(kind));
  if (placed > setting.places && !isOverruled) say(`${setting.places} places, and ${placed} submissions have one`);
  const wanted = lived.posts.filter(({ form, isOver }) => form === lived.forms.places && isOver).length;
  const isFreed = FREEING.some((kind) => kinds.has(kind));
  if (!isFreed && system.restores.length === 0 && placed < Math.min(setting.places, wanted))
    say(`${placed} of ${setting.places} places are taken, and ${wanted} wanted one`);
  const values = live(lived.forms.unique).map(
    ({ value }) => value.fields.find(({ key }: { key: string }) => key === "code")?.value,
  );
  if (!isOverruled && new Set(values).size !== values.length) say(`a unique value is stored twice: ${values.join()}`);

  // Of the plans that the team had, the largest counts.
  const months = [setting.month, ...lived.hosted.months];
  const month = months.includes(null) ? null : Math.max(...(months as number[]));
  const inMonth = rows("submissions").filter(
    ({ value }) =>
      value.form_id !== lived.forms.other &&
      !floodTeams.includes(value.team_id) &&
      !value.spam &&
      !value.over_quota &&
      !value.uncounted,
  ).length;
  if (month !== null && inMonth > month) say(`the month takes ${month} submissions, and has ${inMonth}`);
}

/** The counters that are not what is counted, each a sentence. */
export function miscounted({ store }: System, { forms, hosted, acts }: Counted): string[] {
  const found: string[] = [];
  const counters = new Map(store.rows("counters").map(({ id, value }) => [id, value["n"] as number]));
  const submissions = store.rows("submissions");
  for (const form of Object.values(forms)) {
    if (form === forms.other && hosted.deleted !== "no") continue;
    const ofForm = submissions.filter(({ value }) => value["form_id"] === form);
    const all = counters.get(`form:${form}:all`) ?? 0;
    const unread = all - (counters.get(`form:${form}:seen`) ?? 0);
    const counted = ofForm.filter(({ value }) => !value["spam"] && !value["read"]).length;
    if (unread !== counted) found.push(`form ${form} counts ${unread} unread, and has ${counted}`);
    if (all < ofForm.length || all > ofForm.length + acts.tried.size)
      found.push(`form ${form} counts ${all} posts, and has ${ofForm.length}`);
  }
  return found;
}

/** No file without a row, and no row without a file. */
function wrongFiles({ system, lived, rows, say }: Rest): void {
  const named = new Map(rows("files").map(({ id, value }) => [id, value.submission_id as string]));
  for (const key of system.outside.files.keys())
    if (!named.has(key) && !system.restores.some(({ strays }) => strays.has(key))) say(`file ${key} has no row`);
  for (const [id, submission] of named) {
    // A deletion removes the bytes first, so one that failed leaves a submission that has to be deleted again.
    if (system.outside.files.has(id) || lived.acts.tried.has(submission)) continue;
    say(`the row of file ${id} has no file`);
  }
}
