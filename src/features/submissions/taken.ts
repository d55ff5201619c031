import type { Core } from "../../core/core.ts";
import { put, type Row } from "../../core/rows.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { block, flag, moment, text } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";

/** The sweep looks at a value this often, and lets it go once its submission has gone. */
const KEPT_MS = 90 * DAY_MS;

/** The values of a submission that its form takes once. Only their keyed hash is kept, in the mark's id. */
export interface TakenRecord {
  submission_id: string;
  form_id: string;
  /** False where the form does not store submissions: the value stays taken after its submission was delivered. */
  stored: boolean;
  expires_at: string;
}

export const takenLeaf = block<TakenRecord>({
  submission_id: text(),
  form_id: text(),
  stored: flag(true),
  expires_at: moment(),
});

/** The record of a value that a submission takes. */
export const takenBy = (submission_id: string, form: Row<"forms">, now: number): TakenRecord => ({
  submission_id,
  form_id: form.id,
  stored: form.value.storage.store_submissions,
  expires_at: iso(now + KEPT_MS),
});

/**
 * Keeps a value whose time is over in the store while its submission has it. False where the sweep may remove it.
 */
export async function keepTaken(core: Core, mark: Stored): Promise<boolean> {
  const { id, value, version } = core.rows.asMark(mark, takenLeaf);
  if (!(await core.rows.get("forms", value.form_id)) || !(await isHeld(core, value))) return false;
  await core.commitNow([
    put("marks", id as MarkId, { ...value, expires_at: iso(core.clock.now() + KEPT_MS) }, version),
  ]);
  return true;
}

/** True while the submission is stored and not spam, or waits for its confirmation. Deleting and erasing it frees the values. */
export async function isHeld(core: Core, { submission_id: id, stored }: TakenRecord): Promise<boolean> {
  if (!stored) return true;
  // The waiting one first: one that is confirmed meanwhile is found by the next look.
  const pending = await core.rows.get("pending_submissions", id);
  if (pending) return pending.value.expires_at === null || Date.parse(pending.value.expires_at) > core.clock.now();
  const submission = await core.rows.get("submissions", id);
  return submission !== null && !submission.value.spam;
}
