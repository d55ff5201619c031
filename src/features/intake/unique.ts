import { createHmac } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { put, type Row, remove } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import type { ApiError, FieldError } from "../../errors.ts";
import { type FormRecord, labelOf } from "../../model/form-record.ts";
import type { MarkId } from "../../model/marks.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { told } from "../../texts/locales/_told.ts";
import { isHeld, takenBy, takenLeaf } from "../submissions/taken.ts";
import { valuesByName } from "./values.ts";

/** True if a form takes values once. */
export const hasUnique = ({ settings }: FormRecord): boolean => settings.unique.fields.length > 0;

/** True if a conflict in a commit is about values that a form takes once. */
export const isUniqueMark = (id: string): boolean => id.startsWith("unique:");

/**
 * The write that takes the values of a post for its submission; none if the form asks for none, or if all of them are empty.
 * The mark must be as it was read, so that of two posts at the same time one is stored. Throws `validation_failed` at the first
 * field if another submission has them.
 */
export async function uniqueWrites(
  core: Core,
  form: Row<"forms">,
  id: string,
  fields: readonly SubmissionField[],
): Promise<Write[]> {
  const mark = await markOf(core, form, fields);
  if (mark === null) return [];
  const before = await core.rows.mark(mark, takenLeaf);
  if (before && before.value.submission_id !== id && (await isHeld(core, before.value))) throw taken(form.value);
  const record = takenBy(id, form, core.clock.now());
  return [put("marks", mark, record, before?.version ?? null)];
}

/** The same for a submission whose sender changes it; values that it no longer has are free again. */
export async function uniqueChange(
  core: Core,
  form: Row<"forms">,
  id: string,
  before: readonly SubmissionField[],
  after: readonly SubmissionField[],
): Promise<Write[]> {
  const writes = await uniqueWrites(core, form, id, after);
  const left = await markOf(core, form, before);
  if (left === null || left === (await markOf(core, form, after))) return writes;
  const held = await core.rows.mark(left, takenLeaf);
  return held?.value.submission_id === id ? [...writes, remove("marks", left, held.version)] : writes;
}

/** The mark of the values of a post; null if there is nothing to take. */
async function markOf(core: Core, form: Row<"forms">, fields: readonly SubmissionField[]): Promise<MarkId | null> {
  const { fields: names } = form.value.settings.unique;
  const values = names.length > 0 ? valuesOf(names, fields) : null;
  if (values === null) return null;
  const key = await core.seal.open(form.value.unique_key);
  const hash = createHmac("sha256", key)
    .update(JSON.stringify([names, values]))
    .digest("hex");
  return `unique:${form.id}:${hash}`;
}

/** The values of each name, without differences that people don't mean; null if all are empty. */
function valuesOf(names: readonly string[], fields: readonly SubmissionField[]): string[][] | null {
  const byName = valuesByName(fields);
  const values = names.map((name) => (byName.get(name) ?? []).map(folded).filter((value) => value !== ""));
  return values.some((list) => list.length > 0) ? values : null;
}

/** Upper case before lower case, so that "ß" and "SS" are the same. */
const folded = (value: string): string => value.normalize("NFC").trim().toUpperCase().toLowerCase().normalize("NFC");

function taken(form: FormRecord): ApiError {
  const { fields, message: own } = form.settings.unique;
  const name = fields[0] ?? "";
  return told("validation_failed", (words) => {
    const message = own || words.validation.taken({ field: labelOf(form)(name) });
    const faults: Record<string, FieldError> = Object.create(null);
    faults[name] = { message, rule: "taken" };
    return { message, fields: faults };
  });
}
