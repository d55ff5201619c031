import type { Core } from "../../core/core.ts";
import { put, type Row, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { noWork, type Person } from "../../model/work.ts";
import { overBlob } from "../files/store.ts";
import { placesChanged } from "../forms/places.ts";
import { withoutWords } from "../jobs/forget.ts";
import { cachedTeam, planOf } from "../teams/service.ts";
import { notesRemoval, removal, removeFiles } from "./removal.ts";
import { tallied } from "./tally.ts";
import { threadRemoval } from "./thread-removal.ts";
import { consequencesOf } from "./updated.ts";

/** The days that a team's plan keeps deleted submissions; 0 = they are removed at once. */
export async function trashDays(core: Core, team_id: string): Promise<number> {
  const team = await cachedTeam(core, team_id);
  return team ? planOf(core, team.value).trash_days : 0;
}

/**
 * Moves submissions to the trash in one commit: out of every list, count and export, and their deliveries are skipped. Where the
 * plan keeps nothing there, they are removed. Throws `StaleWriteError` where one was changed meanwhile, and `unavailable`.
 */
export async function moveToTrash(core: Core, rows: readonly Row<"submissions">[], by: Person): Promise<void> {
  const now = core.clock.now();
  const writes: Write[] = [];
  const kept: Row<"submissions">[] = [];
  for (const row of rows) {
    const days = await trashDays(core, row.value.team_id);
    if (days === 0) {
      writes.push(...(await overBlob(core, () => removal(core, row))));
      continue;
    }
    const trashed = {
      ...row.value,
      // What is noted of it is found by this when it is removed.
      work: row.value.work ?? noWork,
      trashed_at: iso(now),
      expires_at: iso(now + days * DAY_MS),
    };
    writes.push(remove("submissions", row.id, row.version), ...moved("trashed_submissions", row, trashed));
    kept.push(row);
  }
  if (writes.length === 0) return;
  const acts = [{ what: "trash", text: "" }];
  const caused = await consequencesOf(
    core,
    kept.map(({ id, value }) => ({ id, record: value, members: [], acts, by })),
  );
  const changes = kept.map(({ id, value }) => ({ id, before: value, after: null }));
  await core.commitNow([...writes, ...tallied(changes, iso(now)), ...caused.writes]);
}

/** More changes than a row gets while a request that has read it is under way. */
const MOST_VERSIONS = 32;

/**
 * The writes of a row that moves here and goes on counting its versions, since each write of a commit adds one. If it began with 1
 * again, whoever had read it before it went to the trash and came back could still write over it, or remove it without its notes.
 */
const moved = (
  collection: "submissions" | "trashed_submissions",
  { id, version }: { readonly id: string; readonly version: number },
  value: SubmissionRecord,
): Write[] => {
  const writes = Math.min(version + 1, MOST_VERSIONS);
  // All but the last are written over in the same commit, so they need no content.
  const empty = { ...value, fields: [] };
  return Array.from({ length: writes }, (_, n) =>
    put(collection, id, n === writes - 1 ? value : empty, n === 0 ? null : undefined),
  );
};

/** A submission in the trash of a form, or null. */
async function inTrash(core: Core, formId: string, id: string): Promise<Row<"trashed_submissions"> | null> {
  const row = await core.rows.get("trashed_submissions", id);
  return row?.value.form_id === formId ? row : null;
}

/** Takes a submission out of the trash as it was. False where it is not there. Throws `StaleWriteError`. */
export async function restoreTrashed(core: Core, formId: string, id: string, by: Person): Promise<boolean> {
  const row = await inTrash(core, formId, id);
  if (!row) return false;
  const { trashed_at: _, expires_at: __, ...record } = row.value;
  const now = core.clock.now();
  const acts = [{ what: "restore", text: "" }];
  const caused = await consequencesOf(core, [{ id, record, members: [], acts, by }]);
  await core.commitNow([
    remove("trashed_submissions", id, row.version),
    ...moved("submissions", row, { ...record, updated_at: iso(now) }),
    ...tallied([{ id, before: null, after: record }], iso(now)),
    ...(record.spam ? [] : [placesChanged(formId, now)]),
    ...caused.writes,
  ]);
  return true;
}

/** Removes a submission from the trash for good. False where it is not there. Throws `StaleWriteError`, `unavailable`. */
export async function removeTrashed(core: Core, formId: string, id: string): Promise<boolean> {
  const row = await inTrash(core, formId, id);
  if (!row) return false;
  const content = await overBlob(core, () => trashContentRemoval(core, row));
  await core.commitNow([...content, ...(await withoutWords(core, id))]);
  return true;
}

/** The writes that remove a submission in the trash and leave its deliveries; its files are gone when this resolves. */
export async function trashContentRemoval(
  core: Core,
  { id, value, version }: Row<"trashed_submissions">,
): Promise<Write[]> {
  return [
    remove("trashed_submissions", id, version),
    ...(await removeFiles(core, value)),
    ...(await notesRemoval(core, id, value)),
    ...(await threadRemoval(core, id)),
  ];
}
