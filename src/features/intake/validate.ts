import type { Core } from "../../core/core.ts";
import type { ApiError, FieldError } from "../../errors.ts";
import { assertStandardSchema, type StandardIssue, type StandardSchema } from "../../lib/standard-schema.ts";
import { inSlices, ownTurn } from "../../lib/turn.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { told } from "../../texts/locales/_told.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { processMemoryOf } from "../spam/process-memory.ts";
import { type CheckedValue, sentence } from "./checks.ts";
import type { ReadyCheck, ReadyRule } from "./form-rules.ts";
import { CHECK_BUDGET, costOf, type FieldValues, fieldValuesOf, HEAVY, valuesByName } from "./values.ts";

/** Errors by field, in the order in which they were found. */
type FieldErrors = Map<string, { readonly rule: string; readonly say: (words: Words) => string }>;

/**
 * Judges the fields of a post by the form's rules and by the schema registered in this process.
 * Throws `validation_failed` with `fields`: the first failed check of each.
 */
export async function validate(
  rules: readonly ReadyRule[],
  fields: readonly SubmissionField[],
  schema: StandardSchema | undefined,
  /** Keys of the files that came along, which fulfil `required` too. */
  files: readonly string[] = [],
  /** The name of a field for people. */
  label: (name: string) => string = (name) => name,
  /** The team whose turn heavy checks take. */
  team?: string,
): Promise<void> {
  const values = valuesByName(fields);
  const errors: FieldErrors = new Map();
  await applyRules(rules, values, new Set(files), errors, label, team);
  if (schema) await applySchema(schema, values, errors);
  if (errors.size > 0) throw failed(errors);
}

/**
 * Registers a schema that validates posts to a form in this process, after its rules and even if `validation.enabled` is false;
 * null removes it. Throws a TypeError if it is not a Standard Schema.
 */
export function useSchema(core: Core, formId: string, schema: StandardSchema | null): void {
  assertStandardSchema(schema);
  const { schemas } = processMemoryOf(core);
  if (schema === null) schemas.delete(formId);
  else schemas.set(formId, schema);
}

async function applyRules(
  rules: readonly ReadyRule[],
  values: ReadonlyMap<string, readonly string[]>,
  files: ReadonlySet<string>,
  errors: FieldErrors,
  label: (name: string) => string,
  team: string | undefined,
): Promise<void> {
  const budget = { left: CHECK_BUDGET.submission };
  const filled = new Map<string, FieldValues>();
  const checks = rules.flatMap(({ field, checks }) => {
    const known = filled.get(field) ?? fieldValuesOf(values.get(field) ?? []);
    filled.set(field, known);
    return checks.map((check) => ({ field, check, filled: known }));
  });
  if (checks.reduce((sum, { check, filled }) => sum + costOf(check.by, filled), 0) > HEAVY) await ownTurn(team);
  const pause = inSlices(team);
  for (const { field, check, filled } of checks) {
    if (errors.has(field)) continue;
    const say = fault(label(field), check, filled, files.has(field), budget);
    if (say !== null) errors.set(field, { say, rule: check.check.type });
    await pause();
  }
}

/**
 * The reason why a field fails a check, null if it passes. Every value of a repeated field must pass; an empty one fails only
 * `required`.
 */
function fault(
  field: string,
  ready: ReadyCheck,
  filled: FieldValues,
  hasFile: boolean,
  budget: { left: number },
): ((words: Words) => string) | null {
  const { check, by } = ready;
  const said = (words: Words): string => sentence(words, field, check);
  if (by === null) return filled.values.length > 0 || hasFile ? null : said;
  const cost = costOf(by, filled);
  const most = "pattern" in by ? Math.min(CHECK_BUDGET.pattern, budget.left) : budget.left;
  if (cost > most) return ({ validation }) => validation.too_long({ field });
  budget.left -= cost;
  const passes = "pattern" in by ? ({ text }: CheckedValue) => by.pattern.test(text) : by.judge;
  return filled.values.every(passes) ? null : said;
}

async function applySchema(
  schema: StandardSchema,
  values: ReadonlyMap<string, readonly string[]>,
  errors: FieldErrors,
): Promise<void> {
  // Without a prototype, so a field named `__proto__` is an ordinary field.
  const input: Record<string, string | string[]> = Object.create(null);
  for (const [key, [first = "", ...more]] of values) input[key] = more.length > 0 ? [first, ...more] : first;
  const { issues } = await schema["~standard"].validate(input);
  for (const issue of issues ?? []) {
    const field = fieldOf(issue);
    if (!errors.has(field)) errors.set(field, { say: () => issue.message, rule: "schema" });
  }
}

/** Values are text or lists of text, so that the first step of a path is the field; an issue without a path is the whole form's. */
function fieldOf({ path }: StandardIssue): string {
  const [step] = path ?? [];
  return step === undefined ? "_form" : String(typeof step === "object" ? step.key : step);
}

const failed = (errors: FieldErrors): ApiError =>
  told("validation_failed", (words) => {
    const fields: Record<string, FieldError> = Object.create(null);
    for (const [field, { rule, say }] of errors) fields[field] = { message: say(words), rule };
    const message = Object.values(fields)[0]?.message ?? "";
    const count = errors.size - 1;
    return { message: count > 0 ? words.validation.more({ message, count }) : message, fields };
  });
