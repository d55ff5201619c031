import { setImmediate } from "node:timers/promises";
import type { Core } from "../core.ts";
import type { Position, Stored, Write } from "../drivers/storage/types.ts";
import { listedTeams } from "../forms/access.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import type { Caller } from "../keys/schema.ts";
import { iso } from "../lib/clock.ts";
import { removal } from "../submissions/removal.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";
import { toSubmission } from "../submissions/view.ts";
import { listTeams } from "../teams/service.ts";
import type { DataSubject, DataSubjectExport, ErasureReceipt } from "./schema.ts";

const BATCH = 200;

/** Every submission that holds an address, over all forms that the caller reaches, oldest first. */
export async function exportSubject(core: Core, caller: Caller, { email }: DataSubject): Promise<DataSubjectExport> {
  const data: DataSubjectExport["data"] = [];
  await holding(core, caller, email, async (rows) => {
    for (const { id, value } of rows) data.push(toSubmission(core, id, value));
  });
  return { data };
}

/** Removes every submission that holds an address, with its files and deliveries, and answers a receipt. */
export async function eraseSubject(core: Core, caller: Caller, { email }: DataSubject): Promise<ErasureReceipt> {
  const erased = { submissions: 0, files: 0, deliveries: 0 };
  await holding(core, caller, email, async (rows) => {
    for (const { id, value } of rows) {
      const jobs = await jobsOf(core, id);
      const writes: Write[] = jobs.map((job) => ({ op: "remove", collection: "jobs", id: job.id }));
      writes.push({ op: "remove", collection: "transient_submissions", id });
      await core.storage.commit([...(await removal(core, id, value)), ...writes]);
      erased.submissions++;
      erased.files += value.attachments.length;
      erased.deliveries += jobs.length;
    }
  });
  return { erased, at: iso(core.clock.now()) };
}

/**
 * Visits the submissions that hold an address anywhere: in a field, as the address of the reply, in the page's URL. Rows are
 * read whole, because a search in fields alone would miss the rest.
 */
async function holding(
  core: Core,
  caller: Caller,
  email: string,
  visit: (rows: readonly Stored<SubmissionRecord>[]) => Promise<void>,
): Promise<void> {
  const mentions = mentionOf(email);
  const teams = (await listedTeams(core, caller, undefined)) ?? (await listTeams(core)).map(({ id }) => id);
  const stored = caller.form_ids
    ? caller.form_ids.map((form_id) => ({ collection: "submissions", index: "form", equals: { form_id } }))
    : teams.map((team_id) => ({ collection: "submissions", index: "team", equals: { team_id } }));
  const reached = ({ team_id, form_id }: SubmissionRecord) =>
    teams.includes(team_id) && (caller.form_ids?.includes(form_id) ?? true);
  for (const { collection, index, equals } of [
    ...stored,
    { collection: "transient_submissions", index: "all", equals: {} },
  ]) {
    for (let after: Position | undefined; ; ) {
      const rows = (await core.storage.page(collection, {
        index,
        equals,
        after,
        order: "asc",
        limit: BATCH,
      })) as unknown as Stored<SubmissionRecord>[];
      const last = rows.at(-1);
      if (!last) break;
      await visit(rows.filter(({ value }) => reached(value) && mentions(value)));
      after = { sort: last.value.created_at, id: last.id };
      await setImmediate();
    }
  }
}

/** Whether a record holds the address as a whole: `ann@example.com` is no part of `joann@example.com` or `ann@example.com.au`. */
function mentionOf(email: string): (record: SubmissionRecord) => boolean {
  const plain = escapeRegExp(email);
  const encoded = escapeRegExp(encodeURIComponent(email));
  const whole = new RegExp(`(?<![\\p{L}\\p{N}._%+'-])(?:${plain}|${encoded})(?!-|\\.?[\\p{L}\\p{N}])`, "iu");
  const inText = (text: string | null): boolean => text !== null && whole.test(text);
  return ({ fields, reply_to, subject, referer, attachments }) =>
    fields.some(({ key, value }) => inText(value) || inText(key)) ||
    [reply_to, subject, referer].some(inText) ||
    attachments.some(({ name }) => inText(name));
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
