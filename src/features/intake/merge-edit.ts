import { type FieldPolicies, isProtected } from "../../model/field-policy.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { looksSecret } from "../pages/controls.ts";

/** The field by which the page says which version it shows. */
export const REVISION_FIELD = "_revision";

/** A field of the new version; one whose stored hash stays has that. */
export interface MergedField extends SubmissionField {
  readonly hash?: string;
}

/** True where an empty value stands for the stored one, which is on no page: the visitor was not shown it. */
export const keepsStored = (policies: FieldPolicies, name: string, values: readonly string[]): boolean =>
  (isProtected(policies, name) || looksSecret(name)) && values.every((value) => value === "");

/**
 * The fields of the new version, in the order of the old one, new ones last. What did not come is gone, as an unticked box is, except
 * where the old values stay.
 */
export function merged(
  before: readonly SubmissionField[],
  sent: readonly SubmissionField[],
  rule: {
    readonly keeps: (name: string, values: readonly string[]) => boolean;
    readonly isHashed: (at: number) => boolean;
  },
): MergedField[] {
  const values = new Map<string, string[]>();
  for (const { key, value } of sent) {
    if (key !== REVISION_FIELD) values.set(key, [...(values.get(key) ?? []), value]);
  }
  const done = new Set<string>();
  const fields: MergedField[] = [];
  for (const [at, { key, value }] of before.entries()) {
    const came = values.get(key) ?? [];
    if (rule.keeps(key, came)) {
      fields.push(rule.isHashed(at) ? { key, value, hash: value } : { key, value });
    } else if (!done.has(key)) fields.push(...came.map((one) => ({ key, value: one })));
    done.add(key);
  }
  for (const [key, came] of values) {
    if (!done.has(key)) fields.push(...came.map((value) => ({ key, value })));
  }
  return fields;
}
