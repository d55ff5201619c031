import type { Core } from "../../core/core.ts";
import { put, type Row, remove } from "../../core/rows.ts";
import type { Equals, Write } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import type { DraftValue } from "../../model/drafts.ts";
import { isProtected } from "../../model/field-policy.ts";
import { daysOf } from "../../model/visitor-settings.ts";
import { looksSecret } from "../pages/controls.ts";
import { clean, fieldName, MAX_FIELDS } from "./fields.ts";

/** Bytes of a draft. */
export const MAX_DRAFT = 64 * 1024;
/** Drafts of a form, and of all forms of a team. A new one beyond them takes the place of the oldest. */
export const MAX_OF_FORM = 1_000;
export const MAX_OF_TEAM = 5_000;
/** Milliseconds for the count, ample for 5,000 rows of an index; after a count that was cut short, the next draft trims. */
const COUNT_MS = 1_000;

/** A page makes up a name that nobody can guess, because anyone who knows it can read the draft. */
const NAME = /^[A-Za-z0-9_-]{32,64}$/;

/** The row of a draft. Throws `not_found` where the form keeps none, and `invalid_parameter` for a name that can't be one. */
export function draftId({ id, value }: Row<"forms">, name: string): string {
  if (!value.settings.drafts.enabled) {
    throw new ApiError("not_found", { message: "This form stores no drafts; turn them on with its setting `drafts`." });
  }
  if (NAME.test(name)) return rowOf(id, name);
  throw wrongParameter("draft", "must have 32 to 64 letters, digits, - or _");
}

const rowOf = (formId: string, name: string): string => `${formId}:${name}`;

/**
 * Stores a visitor's input in place of the earlier draft. Leaves out fields that the form does not store unencrypted, and
 * fields with secret-looking names. Calls `begin` for a new draft. Throws `invalid_parameter`.
 */
export async function keepDraft(
  core: Core,
  form: Row<"forms">,
  id: string,
  body: unknown,
  begin: () => Promise<unknown>,
): Promise<void> {
  const fields = fieldsOf(form, body);
  const isNew = !(await core.rows.get("drafts", id));
  if (isNew) await begin();
  const { team_id, settings } = form.value;
  const expires_at = iso(core.clock.now() + daysOf(settings.drafts.keep_for) * DAY_MS);
  const draft = { form_id: form.id, team_id, fields, expires_at };
  await core.commitTogether([put("drafts", id, draft)], JSON.stringify(fields).length + 200, team_id);
  if (!isNew) return;
  await dropOldest(core, "form", { form_id: form.id }, MAX_OF_FORM);
  await dropOldest(core, "team", { team_id }, MAX_OF_TEAM);
}

/** Removes the drafts beyond `most` that were not changed for the longest time: no visitor makes a team's storage grow without end. */
async function dropOldest(core: Core, index: "form" | "team", equals: Equals, most: number): Promise<void> {
  const { count } = await core.storage.count("drafts", { index, equals, budgetMs: COUNT_MS });
  if (count <= most) return;
  const oldest = { partitions: [{ index, equals }], order: "asc", limit: count - most } as const;
  const { rows } = await core.rows.page("drafts", oldest);
  await core.commitNow(rows.map(({ id }) => remove("drafts", id)));
}

/** The draft with this name. Throws `not_found`. */
export async function readDraft(core: Core, id: string): Promise<Readonly<Record<string, DraftValue>>> {
  const row = await core.rows.get("drafts", id);
  if (row && Date.parse(row.value.expires_at) > core.clock.now()) return row.value.fields;
  throw new ApiError("not_found", { message: "There is no such draft." });
}

/** The write that removes a draft whose post is stored; none for an invalid name. */
export const draftRemoval = (formId: string, name: string | undefined): Write[] =>
  name !== undefined && NAME.test(name) ? [remove("drafts", rowOf(formId, name))] : [];

function fieldsOf({ value: { settings } }: Row<"forms">, body: unknown): Record<string, DraftValue> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new ApiError("invalid_parameter", { message: "Send a JSON object whose members are the fields." });
  }
  const entries = Object.entries(body);
  if (entries.length > MAX_FIELDS) {
    throw new ApiError("payload_too_large", { message: `A draft has at most ${MAX_FIELDS} fields.` });
  }
  const kept = entries
    .map(([name, value]) => [fieldName(name), draftValue(name, value)] as const)
    .filter(([name]) => !/^$|^_/.test(name) && !looksSecret(name) && !isProtected(settings.fields, name));
  // Defined and not set: a field may be called `__proto__`.
  return Object.fromEntries(kept);
}

function draftValue(name: string, value: unknown): DraftValue {
  if (Array.isArray(value)) return value.map((one) => scalarOf(name, one));
  return scalarOf(name, value);
}

function scalarOf(name: string, value: unknown): Exclude<DraftValue, unknown[]> {
  if (typeof value === "string") return clean(value);
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  throw wrongParameter(clean(name).slice(0, 200), "must be a string, a number, true, false, null or a list of these");
}
