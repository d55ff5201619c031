import type { Rest, Row } from "./invariants.ts";
import type { Taken } from "./outside.ts";
import type { System } from "./system.ts";

/** Every job has ended, as its receiver says, and nothing is sent twice. */
export function wrongSends(rest: Rest): void {
  for (const row of rest.rows("jobs")) wrongJob(rest, row);
  wrongHooks(rest);
  for (const kind of ["hooks", "mails"] as const) sentTwice(rest, kind);
}

function wrongJob({ system, lived, rows, say }: Rest, { id, value }: Row): void {
  if (value.due_at !== null || value.leased === true) say(`job ${id} (${value.kind}) is still due: ${value.due_at}`);
  if (["pending", "retrying"].includes(value.status)) say(`job ${id} (${value.kind}) ended as ${value.status}`);
  const urls = new Map<string, string>(
    rows("forms").flatMap(({ value: form }) =>
      form.webhooks.map((one: { id: string; url: string }) => [one.id, one.url]),
    ),
  );
  const url = urls.get(value.target) ?? "";
  // A receiver that fails for now takes it later, since nothing fails at rest. A job that lost too many processes is given up.
  const to = String(value.to ?? value.target);
  // An erasure empties the address of a delivery that has ended, also one that failed before it was done.
  const isForGood = value.kind === "webhook" ? /\/(gone|never)$/.test(url) : to === "" || to.startsWith("gone");
  if (value.status === "failed" && !isForGood && !String(value.code).endsWith("_WORKER_LOST"))
    say(`job ${id} (${value.kind}) was given up: ${value.code}`);
  if (value.status !== "succeeded") return;
  const { hooks, mails } = system.outside;
  const isTaken = url.includes("docs.google.com")
    ? system.sheet.rows().some((cells) => cells[system.sheet.column("submission_id")] === value.submission_id)
    : (value.kind === "webhook" ? hooks : mails).some((taken) => taken.id.startsWith(id));
  if (!isTaken) say(`job ${id} (${value.kind}) succeeded, and nothing took it`);
  if (lived.acts.erased.size === 0 && value.submission_id === "" && value.kind === "webhook")
    say(`job ${id} has lost its submission`);
}

/** Each submission that is wanted goes to each webhook of its form. */
function wrongHooks({ setting, lived, rows, say }: Rest): void {
  const wanted = setting.parts.sheet ? 3 : 2;
  for (const { id, value } of rows("submissions")) {
    if (value.form_id !== lived.forms.plain || value.spam || value.over_quota) continue;
    const planned = rows("jobs").filter(
      ({ value: job }) => job.submission_id === id && job.kind === "webhook" && job.event === "submission.created",
    );
    if (planned.length !== wanted) say(`${id} has ${planned.length} deliveries to its ${wanted} webhooks`);
  }
}

/** Nothing is sent twice but where nobody could know that it had been sent. */
function sentTwice({ system, say }: Rest, kind: "hooks" | "mails"): void {
  for (const [id, taken] of group(system.outside[kind])) {
    for (let n = 1; n < taken.length; n++) {
      const [before, now] = [taken[n - 1] as Taken, taken[n] as Taken];
      // The later one may be an earlier request of a process that has ended since, on a slow way.
      if (!before.isHeard || isUndone(system, before.at, now.at)) continue;
      if ([before, now].some((one) => isExcused(system, one))) continue;
      say(`one of the ${kind}, ${id}, was sent again ${now.at - before.at} ms after it was taken and heard`);
    }
  }
}

/** Most milliseconds until a result that is known is stored, whatever fails meanwhile. */
const NOTED_MS = 120_000;

/** True if a copy from before the first time was noted was put back in between. */
export const isUndone = ({ restores }: System, before: number, now: number): boolean =>
  restores.some(({ copied, at }) => before >= copied - NOTED_MS && before <= at && now >= at);

/** True if the process that sent it ended or stood still before it can have stored the result. */
function isExcused({ ends, freezes }: System, { at, by }: Taken): boolean {
  const [from, to] = [at - 60_000, at + 120_000];
  return (
    ends.some((end) => end.process === by.name && end.at >= from && end.at <= to) ||
    freezes.some((freeze) => freeze.process === by.name && freeze.until >= from && freeze.at <= to)
  );
}

function group(list: readonly Taken[]): Map<string, Taken[]> {
  const groups = new Map<string, Taken[]>();
  for (const taken of list) {
    const key = `${taken.id} ${taken.to}`;
    groups.set(key, [...(groups.get(key) ?? []), taken]);
  }
  return groups;
}
