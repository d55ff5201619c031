import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { type FieldPolicies, masked, policyOf, type Sink } from "../../model/field-policy.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";
import { leakFinder } from "../../model/leaks.ts";
import type { ProtectedValue } from "../../model/protected.ts";
import { fieldMatcher, type Restriction } from "../../model/restriction.ts";
import type { StoredRevision } from "../../model/revisions.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { dataKeyOf } from "./data-keys.ts";
import { placeOf } from "./protect.ts";
import { openText } from "./sealing.ts";

/** Shown in place of a value whose key was deleted, or that somebody changed in the store. */
export const UNREADABLE = "[unreadable: its key was deleted]";

/** A submission in clear, for callers who may read it. One without protected values is itself. Throws `unavailable`. */
export async function opened(core: Core, id: string, record: SubmissionRecord): Promise<SubmissionRecord> {
  return withRevisions(record, await openedNow(core, id, record), (version) => openedNow(core, id, version));
}

async function openedNow(core: Core, id: string, record: SubmissionRecord): Promise<SubmissionRecord> {
  const { protected: kept, ...rest } = record;
  if (!kept) return record;
  const open = await opener(core, id, record, kept.values);
  const values = new Map(kept.values.map((value) => [value.at, value]));
  const fields = record.fields.map((field, at) => {
    const value = values.get(at);
    return value ? { key: field.key, value: open(value, field.key) } : field;
  });
  return { ...rest, fields };
}

/** The record as it is shown, with each of its earlier versions shown in the same way: they hold the same secrets. */
async function withRevisions(
  { revisions, ...record }: SubmissionRecord,
  shown: SubmissionRecord,
  show: (version: SubmissionRecord) => Promise<SubmissionRecord>,
): Promise<SubmissionRecord> {
  if (!revisions) return shown;
  const { protected: _, ...rest } = record;
  const all: StoredRevision[] = [];
  for (const { replaced_at, ...version } of revisions) {
    const { fields } = await show({ ...rest, ...version });
    all.push({ replaced_at, fields });
  }
  return { ...shown, revisions: all };
}

/** The same for many rows. */
export async function openedRows(core: Core, rows: Row<"submissions">[]): Promise<Row<"submissions">[]> {
  if (!rows.some(({ value }) => value.protected || value.revisions)) return rows;
  const out: Row<"submissions">[] = [];
  for (const { id, value, version } of rows) out.push({ id, version, value: await opened(core, id, value) });
  return out;
}

/**
 * Submissions for a caller who may read them: in clear, or as the field policies show them to agents. Throws `unavailable`, but
 * only if an encrypted value must be shown.
 */
export async function shownTo(
  core: Core,
  caller: Pick<Caller, "sees" | "without">,
  rows: Row<"submissions">[],
): Promise<Row<"submissions">[]> {
  if (!caller.sees && !caller.without) return openedRows(core, rows);
  const out: Row<"submissions">[] = [];
  for (const { id, value, version } of rows) {
    const form = (await core.rows.cached("forms", value.form_id))?.value ?? null;
    out.push({ id, version, value: await seenBy(core, form, id, value, caller.sees ?? "reader", caller) });
  }
  return out;
}

/**
 * A submission for a sink, or in clear for a `reader`: omitted values are removed, masked ones masked, and the rest is
 * readable. A restriction takes away more. `form` is null if it was deleted. Throws `unavailable`, but only if an encrypted value
 * must be shown.
 */
export async function seenBy(
  core: Core,
  form: FormRecord | null,
  id: string,
  record: SubmissionRecord,
  sink: Sink | "reader",
  restriction?: Restriction,
): Promise<SubmissionRecord> {
  // Most hide nothing, and each promise of a delivery costs.
  if (!record.revisions && isShownWhole(form, record, restriction)) return record;
  const show = (version: SubmissionRecord) => seenNow(core, form, id, version, sink, restriction);
  return withRevisions(record, await show(record), show);
}

async function seenNow(
  core: Core,
  form: FormRecord | null,
  id: string,
  record: SubmissionRecord,
  sink: Sink | "reader",
  restriction: Restriction | undefined,
): Promise<SubmissionRecord> {
  const seen = visible(form, record, sink, restriction);
  if (!seen) return record;
  const open = await opener(
    core,
    id,
    record,
    seen.fields.flatMap(({ kept }) => kept ?? []),
  );
  const { protected: _, ...rest } = record;
  return {
    ...rest,
    ...seen.rest,
    fields: seen.fields.map(({ field, kept, isMasked }): SubmissionField => {
      const value = kept ? open(kept, field.key) : field.value;
      return { key: field.key, value: isMasked ? masked(value) : value };
    }),
  };
}

/** The same with only unencrypted values that are shown in full: only those may be a reply address. */
export function plainFor(
  form: FormRecord | null,
  record: SubmissionRecord,
  sink: Sink | "reader",
  restriction?: Restriction,
): SubmissionRecord {
  const seen = visible(form, record, sink, restriction);
  if (!seen) return record;
  const fields = seen.fields.filter(({ kept, isMasked }) => !kept && !isMasked).map(({ field }) => field);
  return { ...record, ...seen.rest, fields };
}

/** The names of the fields that a sink is given. */
export const namesFor = (
  form: FormRecord | null,
  record: SubmissionRecord,
  sink: Sink | "reader",
  restriction?: Restriction,
): string[] =>
  (visible(form, record, sink, restriction)?.fields.map(({ field }) => field) ?? record.fields).map(({ key }) => key);

interface Visible {
  readonly fields: readonly {
    readonly field: SubmissionField;
    readonly kept: ProtectedValue | undefined;
    readonly isMasked: boolean;
  }[];
  readonly rest: Pick<SubmissionRecord, "attachments" | "attached" | "subject" | "reply_to" | "referer" | "source">;
}

/** True for a record of which nothing is encrypted, on a form without policies, for somebody from whom no field is kept. */
function isShownWhole(
  form: FormRecord | null,
  { protected: kept, attachments }: SubmissionRecord,
  { without = [] }: Restriction = {},
): boolean {
  if (kept !== undefined || without.length > 0 || attachments.some(({ sealed }) => sealed)) return false;
  return Object.keys(form?.settings.fields ?? {}).length === 0;
}

/** A sink's view of a submission; null if it sees all of it. */
function visible(
  form: FormRecord | null,
  record: SubmissionRecord,
  sink: Sink | "reader",
  restriction: Restriction = {},
): Visible | null {
  if (isShownWhole(form, record, restriction)) return null;
  const { sees, without = [] } = restriction;
  const policies = form?.settings.fields ?? {};
  const isWithheld = fieldMatcher(without);
  const viewOf = (name: string, wasKept: boolean): Shown =>
    isWithheld(name)
      ? "omit"
      : lesser(shownAs(policies, name, wasKept, sink), sees ? shownAs(policies, name, wasKept, sees) : "show");
  const values = new Map(record.protected?.values.map((value) => [value.at, value]));
  const entries = record.fields.map((field, at) => {
    const kept = values.get(at);
    return { field, kept, shown: viewOf(field.key, kept !== undefined) };
  });
  const hidden = entries.filter(({ shown }) => shown !== "show").map(({ field }) => field);
  const leaks = leakFinder(hidden);
  const attachments = record.attachments.filter(({ key, sealed }) => viewOf(key, sealed !== undefined) === "show");
  // A visitor's page may send a hidden value as the subject or the reply address, or have it in its URL.
  const withoutHidden = (text: string | null): string | null => (text !== null && leaks?.(text) ? null : text);
  return {
    fields: entries.flatMap(({ field, kept, shown }) =>
      shown === "omit" ? [] : [{ field, kept, isMasked: shown === "mask" }],
    ),
    rest: {
      attachments,
      attached: attachments.length > 0,
      subject: withoutHidden(record.subject),
      reply_to: withoutHidden(record.reply_to),
      referer: withoutHidden(record.referer),
      ...(record.source && { source: record.source.filter(({ value }) => withoutHidden(value) !== null) }),
    },
  };
}

type Shown = "show" | "mask" | "omit";

const order: readonly Shown[] = ["show", "mask", "omit"];
const lesser = (a: Shown, b: Shown): Shown => (order.indexOf(a) > order.indexOf(b) ? a : b);

/** A sink's view of a field. A value that was protected when it arrived stays hidden if the form has no policy for it any more. */
function shownAs(policies: FieldPolicies, name: string, isKept: boolean, sink: Sink | "reader"): Shown {
  if (sink === "reader") return "show";
  const policy = policyOf(policies, name);
  return policy ? policy[sink] : isKept ? "omit" : "show";
}

/** Opens values of a submission, each at its own place and no other. */
async function opener(
  core: Core,
  id: string,
  { form_id, protected: kept }: SubmissionRecord,
  values: readonly ProtectedValue[],
): Promise<(value: ProtectedValue, name: string) => string> {
  const needsKey = kept !== undefined && values.some(({ sealed }) => sealed !== undefined);
  const key = needsKey ? await dataKeyOf(core, form_id, kept.data_key) : null;
  return ({ at, sealed, hash }, name) => {
    if (sealed === undefined) return hash ?? UNREADABLE;
    return (key && openText(key, sealed, placeOf(form_id, id, at, name))) ?? UNREADABLE;
  };
}
