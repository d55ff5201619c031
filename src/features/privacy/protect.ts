import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { type FieldPolicies, policyOf, protectedOf } from "../../model/field-policy.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { ProtectedValue, ProtectedValues } from "../../model/protected.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { type DataKey, dataKeyFor } from "./data-keys.ts";
import { hasherOf, type Place, sealText } from "./sealing.ts";

/** The fields of a post as they are stored, and as those may read them who may read the form's submissions. */
export interface ProtectedFields {
  readonly fields: SubmissionField[];
  readonly protected?: ProtectedValues;
  readonly clear: SubmissionField[];
}

export const placeOf = (formId: string, submissionId: string, at: number, name: string): Place => [
  formId,
  submissionId,
  at,
  name,
];

/**
 * Takes a post's fields apart as the form's policies say. Null where they ask for nothing, which costs nothing. Throws
 * `unavailable` where the form's data key can't be had.
 */
export function protectFields(
  core: Core,
  form: Stored<FormRecord>,
  submissionId: string,
  posted: readonly SubmissionField[],
): Promise<ProtectedFields> | null {
  const policies = form.value.settings.fields;
  return protectedOf(policies, posted).length > 0 ? protect(core, form.id, policies, submissionId, posted) : null;
}

async function protect(
  core: Core,
  formId: string,
  policies: FieldPolicies,
  submissionId: string,
  posted: readonly SubmissionField[],
): Promise<ProtectedFields> {
  const fields: SubmissionField[] = [];
  const clear: SubmissionField[] = [];
  const values: ProtectedValue[] = [];
  let key: DataKey | null = null;
  let hash: ((text: string) => string) | null = null;
  for (const field of posted) {
    const store = policyOf(policies, field.key)?.store ?? "plain";
    if (store === "drop") continue;
    const at = fields.length;
    // An empty value is no secret.
    if (store === "plain" || field.value === "") {
      fields.push(field);
      clear.push(field);
      continue;
    }
    fields.push({ key: field.key, value: "" });
    if (store === "hash") {
      hash ??= hasherOf(core.options.secrets[0], formId);
      const hashed = hash(field.value);
      values.push({ at, hash: hashed });
      clear.push({ key: field.key, value: hashed });
    } else {
      key ??= await dataKeyFor(core, formId);
      values.push({ at, sealed: sealText(key, field.value, placeOf(formId, submissionId, at, field.key)) });
      clear.push(field);
    }
  }
  return { fields, clear, ...(values.length > 0 && { protected: { data_key: key?.id ?? "", values } }) };
}

/** The fields of a post as those read them who may read the form's submissions, without a data key: nothing is to be stored. */
export function readableFields(
  core: Core,
  { id, value }: Stored<FormRecord>,
  posted: readonly SubmissionField[],
): SubmissionField[] {
  const policies = value.settings.fields;
  return posted.flatMap(({ key, value: text }) => {
    const store = policyOf(policies, key)?.store ?? "plain";
    if (store === "drop") return [];
    return [{ key, value: store === "hash" && text !== "" ? hasherOf(core.options.secrets[0], id)(text) : text }];
  });
}
