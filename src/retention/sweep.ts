import type { Core } from "../core.ts";
import type { Position, Stored, Write } from "../drivers/storage/types.ts";
import { removeOrphan } from "../files/store.ts";
import { daysKept, isLeftBehind, type LeftBehind, leaveBehind } from "../forms/left-behind.ts";
import type { FormRecord } from "../forms/schema.ts";
import { jobsOf } from "../jobs/of-submission.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import { releaseContent } from "../submissions/content.ts";
import { removal } from "../submissions/removal.ts";
import type { SubmissionRecord } from "../submissions/schema.ts";

/** Content whose deliveries should long have ended: 72 hours of attempts, and a day for good measure. */
const TRANSIENT_MS = 4 * DAY_MS;
const LOG_MONTHS = 18;
const BATCH = 200;

/** How much a sweep removed. */
export interface Swept {
  submissions: number;
  files: number;
  deliveries: number;
}

/** Removes what has been kept for as long as it may be: submissions with their files, delivery logs, records that end by themselves. */
export async function sweep(core: Core): Promise<Swept> {
  const swept: Swept = { submissions: 0, files: 0, deliveries: 0 };
  const now = core.clock.now();
  await everyRow<FormRecord>(core, "forms", "all", {}, async (form) => {
    const days = daysKept(form.value);
    if (days !== null) await expireSubmissions(core, form.id, iso(now - days * DAY_MS), swept);
  });
  await everyRow<object>(core, "transient_submissions", "all", { before: iso(now - TRANSIENT_MS) }, ({ id }) =>
    releaseContent(core, id),
  );
  swept.deliveries = await removeBefore(core, "jobs", "all", monthsBefore(now, LOG_MONTHS));
  await removeBefore(core, "marks", "expiry", iso(now), (mark) =>
    isLeftBehind(mark) ? expireLeftBehind(core, mark.value, now, swept) : removeOrphan(core, mark.id),
  );
  return swept;
}

/** The same for a form that is deleted. The next mark leads to what has not been kept for so long yet. */
async function expireLeftBehind(core: Core, { form_id, days }: LeftBehind, now: number, swept: Swept): Promise<void> {
  await expireSubmissions(core, form_id, iso(now - days * DAY_MS), swept);
  const query = { index: "form", equals: { form_id }, order: "asc", limit: 1 } as const;
  const [oldest] = (await core.storage.page("submissions", query)) as unknown as Stored<SubmissionRecord>[];
  if (oldest) await core.storage.commit([leaveBehind(form_id, days, Date.parse(oldest.value.created_at))]);
}

async function expireSubmissions(core: Core, form_id: string, before: string, swept: Swept): Promise<void> {
  for (;;) {
    const rows = (await core.storage.page("submissions", {
      index: "form",
      equals: { form_id },
      where: [{ column: "created_at", op: "lt", value: before }],
      order: "asc",
      limit: BATCH,
    })) as unknown as Stored<SubmissionRecord>[];
    if (rows.length === 0) return;
    const writes = await removeSubmissions(core, rows);
    await core.storage.commit(writes);
    swept.submissions += rows.length;
    swept.files += rows.reduce((sum, { value }) => sum + value.attachments.length, 0);
  }
}

/** The writes that remove submissions; their files are gone, and their logs keep no address of the visitor. */
async function removeSubmissions(core: Core, rows: readonly Stored<SubmissionRecord>[]): Promise<Write[]> {
  const writes: Write[] = [];
  for (const { id, value } of rows) {
    writes.push(...(await removal(core, id, value)));
    for (const job of await jobsOf(core, id)) {
      if (job.value.kind !== "auto_response" || job.value.target === "") continue;
      const { message: _, ...rest } = job.value;
      writes.push({
        op: "put",
        collection: "jobs",
        id: job.id,
        value: { ...rest, target: "", due_at: null },
        expect: job.version,
      });
    }
  }
  return writes;
}

/** Removes the rows whose sort value lies before a time, in small transactions, each after `first`; answers how many. */
async function removeBefore(
  core: Core,
  collection: string,
  index: string,
  before: string,
  first: (row: Stored<object>) => Promise<void> = async () => {},
): Promise<number> {
  const column = index === "expiry" ? "expires_at" : "created_at";
  for (let removed = 0; ; ) {
    const where = [{ column, op: "lt", value: before }] as const;
    const rows = await core.storage.page(collection, { index, equals: {}, where, order: "asc", limit: BATCH });
    if (rows.length === 0) return removed;
    for (const row of rows) await first(row);
    await core.storage.commit(rows.map(({ id }): Write => ({ op: "remove", collection, id })));
    removed += rows.length;
  }
}

/** Walks an index by key; rows may be removed on the way. */
async function everyRow<T>(
  core: Core,
  collection: string,
  index: string,
  { before }: { before?: string },
  visit: (row: Stored<T>) => Promise<void>,
): Promise<void> {
  const where = before === undefined ? undefined : ([{ column: "created_at", op: "lt", value: before }] as const);
  for (let after: Position | undefined; ; ) {
    const rows = await core.storage.page(collection, { index, equals: {}, where, after, order: "asc", limit: BATCH });
    for (const row of rows) await visit(row as unknown as Stored<T>);
    const last = rows.at(-1);
    if (!last) return;
    after = { sort: String(last.value["created_at"]), id: last.id };
  }
}

function monthsBefore(now: number, months: number): string {
  const date = new Date(now);
  date.setUTCMonth(date.getUTCMonth() - months);
  return date.toISOString();
}
