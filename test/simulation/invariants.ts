import type { Taken } from "./outside.ts";
import type { Acts, Forms, Post } from "./people.ts";
import type { Setting } from "./setting.ts";
import type { Running, System } from "./system.ts";

export interface Lived {
  readonly forms: Forms;
  readonly posts: readonly Post[];
  readonly acts: Acts;
  readonly last: Running;
  readonly restAt: number;
}

interface Row {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: rows of every collection
  readonly value: any;
}

/** The promises that do not hold at rest, each a sentence. */
export function violations(system: System, setting: Setting, lived: Lived): string[] {
  const { store, outside } = system;
  const rows = (collection: string): Row[] => store.rows(collection);
  const submissions = rows("submissions");
  const jobs = rows("jobs");
  const found: string[] = [];
  const say = (text: string): void => void found.push(text);
  const textOf = ({ value }: Row): string => JSON.stringify(value);

  // Each 2xx is stored exactly once, and nothing that was refused is there.
  for (const post of lived.posts) {
    const ofPost = submissions.filter((row) => textOf(row).includes(`"${post.canary}"`));
    const wasDeleted = [...post.ids].some((id) => lived.acts.tried.has(id));
    if (post.ids.size > 1) say(`visitor ${post.n} was told different ids for one post: ${[...post.ids].join(", ")}`);
    if (ofPost.length > 1) say(`visitor ${post.n}'s post is stored ${ofPost.length} times`);
    if (post.ids.size > 0 && ofPost.length === 0 && !wasDeleted)
      say(`visitor ${post.n} got a 2xx, and nothing is stored`);
    const [id] = post.ids;
    if (id && ofPost[0] && ofPost[0].id !== id) say(`visitor ${post.n} was told ${id}, and ${ofPost[0].id} is stored`);
    if (post.ids.size === 0 && post.refusal !== null && ofPost.length > 0)
      say(`visitor ${post.n} was refused (${post.refusal}), and the post is stored`);
    if (post.ids.size === 0 && post.refusal === null) say(`visitor ${post.n} never got an answer`);
    if (post.refusal !== null && !["form_full", "validation_failed"].includes(post.refusal))
      say(`visitor ${post.n} was refused with ${post.refusal}`);
  }

  // What was deleted is gone, from every table and from what waits to be sent.
  for (const id of lived.acts.deleted) {
    if (submissions.some((row) => row.id === id)) say(`${id} was deleted, and is stored`);
    const post = lived.posts.find(({ ids }) => ids.has(id));
    if (!post) continue;
    for (const collection of ["submissions", "transient_submissions", "jobs", "files", "marks", "drafts"]) {
      for (const row of rows(collection)) {
        if (textOf(row).includes(post.canary))
          say(`${id} was deleted, and ${collection} ${row.id} still has its words`);
      }
    }
  }

  // Places and values.
  const live = (form: string) => submissions.filter(({ value }) => value.form_id === form && value.spam === false);
  const placed = live(lived.forms.places).length;
  const spamless = lived.acts.tried.size === 0 && setting.acts === 0;
  if (placed > setting.places && spamless) say(`${setting.places} places, and ${placed} submissions have one`);
  const wanted = lived.posts.filter(({ form, isOver }) => form === lived.forms.places && isOver).length;
  if (spamless && placed < Math.min(setting.places, wanted))
    say(`${placed} of ${setting.places} places are taken, and ${wanted} wanted one`);
  const values = live(lived.forms.unique).map(
    ({ value }) => value.fields.find((f: { key: string }) => f.key === "code")?.value,
  );
  if (spamless && new Set(values).size !== values.length) say(`a unique value is stored twice: ${values.join(", ")}`);

  // Counters are what is counted.
  const counters = new Map(rows("counters").map(({ id, value }) => [id, value.n as number]));
  for (const form of Object.values(lived.forms)) {
    const ofForm = submissions.filter(({ value }) => value.form_id === form);
    const all = counters.get(`form:${form}:all`) ?? 0;
    const unread = all - (counters.get(`form:${form}:seen`) ?? 0);
    const counted = ofForm.filter(({ value }) => !value.spam && !value.read).length;
    if (unread !== counted) say(`form ${form} counts ${unread} unread, and has ${counted}`);
    const removed = lived.acts.tried.size;
    if (all < ofForm.length || all > ofForm.length + removed)
      say(`form ${form} counts ${all} posts, and has ${ofForm.length}`);
  }

  // The plan's month is never oversold.
  const inMonth = submissions.filter(({ value }) => !value.spam && !value.over_quota && !value.uncounted).length;
  if (setting.month !== null && inMonth > setting.month)
    say(`the month takes ${setting.month} submissions, and has ${inMonth}`);

  // Every job has ended, as its receiver says.
  const lasting = new Set(
    rows("forms").flatMap(({ value }) =>
      value.webhooks.flatMap(({ id, url }: { id: string; url: string }) => (/\/(gone|never)$/.test(url) ? [id] : [])),
    ),
  );
  for (const { id, value } of jobs) {
    if (value.due_at !== null || value.leased === true) say(`job ${id} (${value.kind}) is still due: ${value.due_at}`);
    // A receiver that fails for now takes it later, since nothing fails at rest. A job that lost too many processes is given up.
    const isForGood =
      value.kind === "webhook" ? lasting.has(value.target) : String(value.to ?? value.target).startsWith("gone");
    if (value.status === "failed" && !isForGood && !String(value.code).endsWith("_WORKER_LOST"))
      say(`job ${id} (${value.kind}) was given up: ${value.code}`);
    if (["pending", "retrying"].includes(value.status)) say(`job ${id} (${value.kind}) ended as ${value.status}`);
    const isTaken = (value.kind === "webhook" ? outside.hooks : outside.mails).some((taken) => taken.id.startsWith(id));
    if (value.status === "succeeded" && !isTaken) say(`job ${id} (${value.kind}) succeeded, and nothing took it`);
  }
  const isWanted = ({ value }: Row): boolean => value.spam === false && value.over_quota === false;
  for (const row of live(lived.forms.plain).filter(isWanted)) {
    const ofRow = jobs.filter(({ value }) => value.submission_id === row.id);
    const hooks = ofRow.filter(({ value }) => value.kind === "webhook").length;
    if (hooks !== 2) say(`${row.id} has ${hooks} deliveries to its 2 webhooks`);
  }

  // Nothing is sent twice but where nobody could know that it had been sent.
  for (const [kind, list] of [
    ["webhook", outside.hooks],
    ["mail", outside.mails],
  ] as const) {
    const byId = group(list);
    for (const [id, taken] of byId) {
      for (let n = 1; n < taken.length; n++) {
        const before = taken[n - 1] as Taken;
        // The later one may be an earlier request of a process that has ended since, on a slow way.
        if (!before.isHeard || [before, taken[n] as Taken].some((one) => isExcused(system, one))) continue;
        say(`${kind} ${id} was sent again ${taken[n]!.at - before.at} ms after it was taken and heard`);
      }
    }
  }

  // No file without a row, and no row without a file.
  const named = new Map(rows("files").map(({ id, value }) => [id, value.submission_id as string]));
  for (const key of outside.files.keys()) if (!named.has(key)) say(`file ${key} has no row`);
  for (const [id, submission] of named) {
    // A deletion removes the bytes first, so one that failed leaves a submission that has to be deleted again.
    if (outside.files.has(id) || lived.acts.tried.has(submission)) continue;
    say(`the row of file ${id} has no file`);
  }

  // A process at rest holds nothing.
  if (lived.last.process.pending > 20) say(`the last process at rest has ${lived.last.process.pending} timers`);
  return found;
}

/** True if the process that sent it crashed, was told to end, or had trouble with the store before it can have stored the result. */
function isExcused(system: System, { at, by }: Taken): boolean {
  const within = ({ at: when, process }: { at: number; process: string }): boolean =>
    process === by.name && when >= at - 60_000 && when <= at + 120_000;
  return system.ends.some(within) || system.store.troubles.some(within);
}

function group(list: readonly Taken[]): Map<string, Taken[]> {
  const groups = new Map<string, Taken[]>();
  for (const taken of list)
    groups.set(`${taken.id} ${taken.to}`, [...(groups.get(`${taken.id} ${taken.to}`) ?? []), taken]);
  return groups;
}
