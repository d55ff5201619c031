import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import { type Row, remove, retrying } from "../../core/rows.ts";
import type { Position, Stored, Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { counted } from "../../lib/counted.ts";
import type { CollectionName } from "../../model/collections.ts";
import { endOfMark } from "../../model/marks.ts";
import { removeOrphan } from "../files/store.ts";
import { lastCounters } from "../forms/counters.ts";
import { daysKept, FOREVER_DAYS, type LeftBehind, leaveBehind, leftBehindLeaf } from "../forms/retention-mark.ts";
import { withoutAddress } from "../jobs/forget.ts";
import { dataKeyRemoval } from "../privacy/data-keys.ts";
import { releaseContent } from "../submissions/content.ts";
import { fillSenders } from "../submissions/fill-senders.ts";
import { forgetReaders } from "../submissions/forget-readers.ts";
import { followForm } from "../submissions/move-form.ts";
import { recountOld } from "../submissions/recount.ts";
import { contentRemoval } from "../submissions/removal.ts";
import { returnAllSnoozed } from "../submissions/snooze.ts";
import { keepTaken } from "../submissions/taken.ts";
import { tellQuiet } from "../submissions/tell-quiet.ts";
import { retentionTimes } from "./clock.ts";
import { expireLogs, keepState, longestLog } from "./log.ts";
import { type Aged, olderThan } from "./older.ts";
import { forgetPending } from "./pending.ts";
import { BATCH, type Run, restsBetweenSteps, type Swept } from "./run.ts";
import { removeTeam } from "./team-removal.ts";
import { expireTrash, expireTrashOf } from "./trash.ts";

/** Content whose deliveries should be over: 72 hours of attempts, and a day in reserve. */
const TRANSIENT_MS = 4 * DAY_MS;
/** The most entries that the log names of rows that could not be removed. */
const NAMED = 3;

/**
 * Removes expired data: submissions with their files, delivery logs, records with an expiry time. Calls `alive` at each step,
 * and ends where that throws.
 */
export async function sweep(core: Core, alive: () => Promise<void> = async () => {}): Promise<Swept> {
  const failed: string[] = [];
  const run: Run = {
    core,
    alive,
    ...(await retentionTimes(core)),
    swept: { submissions: 0, files: 0, deliveries: 0 },
    async attempt(what, removal) {
      try {
        await removal();
        return true;
      } catch (error) {
        // If the store is down the sweep ends: nothing else would work either.
        if (error instanceof ApiError && error.code === "unavailable") throw error;
        failed.push(`${what} (${faultText(error)})`);
        return false;
      }
    },
  };
  await expireAll(run);
  // Deletions since the last sweep as well: their rows may still stand in the journal.
  await core.storage.scrub?.();
  if (failed.length > 0) {
    const first = failed.slice(0, NAMED).join("; ");
    core.options.logger.error(
      `retention could not remove ${counted(failed.length, "record")} and tries again with the next sweep: ${first}`,
    );
  }
  return run.swept;
}

async function expireAll(run: Run): Promise<void> {
  const { core, now, marks, swept } = run;
  let budget: number | undefined;
  let reading: number | undefined;
  await returnAllSnoozed(core, run.alive);
  for await (const forms of core.rows.walk("forms", { index: "all", limit: BATCH })) {
    await run.alive();
    for (const { id, days } of await expiring(run, forms, "submissions")) await expireSubmissions(run, id, days);
    for (const { id, days } of await expiring(run, forms, "trashed_submissions")) await expireTrashOf(run, id, days);
    await expireLogs(run, forms);
    budget = await recountOld(core, forms, budget).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === "unavailable") throw error;
      core.options.logger.warn(
        `unread submissions could not be counted; the next sweep tries again: ${faultText(error)}`,
      );
      return 0;
    });
    reading = await forgetReaders(core, forms, reading).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === "unavailable") throw error;
      core.options.logger.warn(
        `names of readers could not be removed; the next sweep tries again: ${faultText(error)}`,
      );
      return 0;
    });
    await tellQuiet(core, forms).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === "unavailable") throw error;
      core.options.logger.warn(`quiet forms could not be found; the next sweep tries again: ${faultText(error)}`);
    });
  }
  await fillSenders(core).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === "unavailable") throw error;
    core.options.logger.warn(`senders could not be named; the next sweep tries again: ${faultText(error)}`);
  });
  const where = [{ column: "created_at", op: "lt", value: iso(now - TRANSIENT_MS) }] as const;
  for await (const rows of core.rows.walk("transient_submissions", { index: "all", where, limit: BATCH })) {
    for (const { id } of rows) await run.attempt(`the content of ${id}`, () => releaseContent(core, id));
  }
  swept.deliveries += await removeBefore(run, "jobs", "all", iso(now - longestLog(core) * DAY_MS), (row) =>
    keepState(core, row.id, row.value["kind"]),
  );
  // This machine's clock set the expiry of tokens and keys: both clocks must be past it, or a used token would be valid again.
  const ended = iso(Math.min(now, core.clock.now()));
  const spent = iso(Math.min(marks, core.clock.now()));
  await removeBefore(run, "marks", "expiry", spent, (mark) => endMark(run, mark));
  await removeBefore(run, "pending_submissions", "expiry", ended, async (row) => {
    // One that can't be read is removed all the same.
    for (const pending of core.rows.readable("pending_submissions", [row])) await forgetPending(core, pending);
  });
  const thrown = [{ column: "expires_at", op: "lt", value: iso(now) }] as const;
  await expireTrash(run, core.rows.walk("trashed_submissions", { index: "expiry", where: thrown, limit: BATCH }));
  await removeBefore(run, "drafts", "expiry", ended);
  await removeBefore(run, "audit", "expiry", ended);
}

/** Those forms that have submissions to remove. */
function expiring(
  run: Run,
  forms: readonly Row<"forms">[],
  collection: "submissions" | "trashed_submissions",
): Promise<readonly Aged[]> {
  const bounded = forms.flatMap(({ id, value }) => {
    const days = daysKept(value);
    return days === null ? [] : [{ id, days }];
  });
  return olderThan(run, bounded, collection);
}

/** Does what ends with a mark. False for one that stays: of a later version, which alone knows what hangs on it, or still in use. */
async function endMark(run: Run, mark: Stored): Promise<boolean> {
  const end = endOfMark(mark.id);
  if (end === "upload") await removeOrphan(run.core, mark);
  if (end === "submissions") await expireLeftBehind(run, run.core.rows.asMark(mark, leftBehindLeaf).value);
  if (end === "move") return !(await followForm(run.core, mark.id, run.alive));
  if (end === "team") return !(await removeTeam(run, mark));
  if (end === "value") return !(await keepTaken(run.core, mark));
  return end !== null;
}

/** The same for a deleted form. The next mark leads to data that has not expired yet. */
async function expireLeftBehind(run: Run, { form_id, days }: LeftBehind): Promise<void> {
  await expireSubmissions(run, form_id, days);
  const left = run.core.rows.walk("submissions", { index: "form", equals: { form_id }, limit: 1 });
  const oldest = (await left.next()).value?.[0];
  const trashed = run.core.rows.walk("trashed_submissions", { index: "form", equals: { form_id }, limit: 1 });
  // What is in the trash may be restored, and needs the form's key as well: a look tomorrow.
  if (!oldest && (await trashed.next()).value?.[0])
    return run.core.commitNow([leaveBehind(form_id, days, run.now + DAY_MS)]);
  // Nothing is left that the form's key could open.
  if (!oldest)
    return run.core.commitNow([dataKeyRemoval(form_id), remove("deleted_forms", form_id), ...lastCounters(form_id)]);
  const ends = Date.parse(oldest.value.created_at) + days * DAY_MS;
  // A form that keeps its submissions forever, and one whose submission could not be removed, is looked at again tomorrow. A mark
  // with a time that has passed would be found by this same sweep.
  const isTomorrow = days >= FOREVER_DAYS || ends < run.now;
  await run.core.commitNow([leaveBehind(form_id, days, isTomorrow ? run.now + DAY_MS : ends)]);
}

async function expireSubmissions(run: Run, form_id: string, days: number): Promise<void> {
  const { core, now, swept } = run;
  const where = [{ column: "created_at", op: "lt", value: iso(now - days * DAY_MS) }] as const;
  const rest = restsBetweenSteps();
  for await (const rows of core.rows.walk("submissions", { index: "form", equals: { form_id }, where, limit: BATCH })) {
    await run.alive();
    await run.attempt(`submissions of form ${form_id}`, async () => {
      let current: readonly Row<"submissions">[] = rows;
      const removed = await retrying(async () => {
        const done = await removalOf(run, current);
        await core.commitNow(done.writes).catch(async (error: unknown) => {
          // Somebody marked or removed one of them in the meantime.
          current = [...(await core.rows.many("submissions", ids(rows))).values()];
          throw error;
        });
        return done.rows;
      });
      swept.submissions += removed.length;
      swept.files += removed.reduce((sum, { value }) => sum + value.attachments.length, 0);
    });
    await rest();
  }
}

const ids = (rows: readonly Row<"submissions">[]): string[] => rows.map(({ id }) => id);

/** The writes that remove these submissions, except those whose files can't be removed. */
async function removalOf(run: Run, rows: readonly Row<"submissions">[]) {
  const writes: Write[] = [];
  const removed: Row<"submissions">[] = [];
  for (const row of rows) {
    await run.attempt(`submission ${row.id}`, async () => {
      writes.push(...(await removeSubmission(run.core, row)));
      removed.push(row);
    });
  }
  return { writes, rows: removed };
}

/** The writes that remove a submission; its files are gone, and its logs keep no address of the visitor. */
async function removeSubmission(core: Core, row: Row<"submissions">): Promise<Write[]> {
  return [...(await contentRemoval(core, row)), ...(await withoutAddress(core, row.id))];
}

/** Removes the rows whose sort value is before a time, in small transactions, each after calling `first`. Returns their number. */
async function removeBefore(
  run: Run,
  collection: CollectionName,
  index: string,
  before: string,
  first: (row: Stored) => Promise<unknown> = async () => {},
): Promise<number> {
  const { core } = run;
  const column = index === "expiry" ? "expires_at" : "created_at";
  const where = [{ column, op: "lt", value: before }] as const;
  let after: Position | undefined;
  for (let removed = 0; ; ) {
    await run.alive();
    const rows = await core.storage.page(collection, { index, equals: {}, where, after, order: "asc", limit: BATCH });
    const last = rows.at(-1);
    if (!last) return removed;
    const done: Write[] = [];
    for (const row of rows) {
      let stays = false;
      const ended = await run.attempt(`${collection} ${row.id}`, async () => {
        stays = (await first(row)) === false;
      });
      if (ended && !stays) done.push(remove(collection, row.id));
    }
    await core.commitNow(done);
    removed += done.length;
    // Past the remaining rows, or this page would repeat.
    after = { sort: last.value[column] as string, id: last.id };
  }
}
