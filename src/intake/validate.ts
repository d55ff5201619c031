import type { Core } from "../core.ts";
import { ApiError, type FieldError } from "../errors.ts";
import type { FormRecord } from "../forms/schema.ts";
import { createLru } from "../lib/lru.ts";
import { compilePattern, type Pattern } from "../lib/pattern.ts";
import { isStandardSchema, type StandardIssue, type StandardSchema } from "../lib/standard-schema.ts";
import type { SubmissionField } from "../submissions/schema.ts";
import { sentence, valueChecks } from "./checks.ts";

/**
 * What matching may cost, in instructions times characters: linear time is still time, on the host's event loop. One check is
 * one turn of it, about 10 ms at worst; `.{n}` takes n instructions and `.{0,n}` twice as many, so that a value of the length it is for always fits.
 */
export const PATTERN_BUDGET = { check: 300_000, submission: 1_000_000 } as const;
const TURN_MS = 5;

type Check = FormRecord["validation"]["rules"][number]["checks"][number];

/** Errors by field, in the order in which they were found. */
type FieldErrors = Map<string, FieldError>;

const compiled = createLru<Pattern | { readonly error: string }>(500);

/**
 * Judges the fields of a post by the form's rules and by the schema registered in this process.
 * Throws `validation_failed` with `fields`: the first failed check of each.
 */
export async function validate(
  { enabled, rules }: FormRecord["validation"],
  fields: readonly SubmissionField[],
  schema: StandardSchema | undefined,
  /** Keys of the files that came along, which fulfil `required` too. */
  files: readonly string[] = [],
): Promise<void> {
  const values = byName(fields);
  const errors: FieldErrors = new Map();
  if (enabled) await applyRules(rules, values, new Set(files), errors);
  if (schema) await applySchema(schema, values, errors);
  if (errors.size > 0) throw failed(errors);
}

/**
 * Registers the schema by which posts to a form are judged in this process, after its rules and whatever `validation.enabled`
 * says; null takes it away. Throws a TypeError where it is no Standard Schema.
 */
export function useSchema({ recall }: Core, formId: string, schema: StandardSchema | null): void {
  if (schema === null) {
    recall.schemas.delete(formId);
    return;
  }
  if (!isStandardSchema(schema)) {
    throw new TypeError("[form-backend] forms.useSchema: the schema must be a Standard Schema, such as one of zod");
  }
  recall.schemas.set(formId, schema);
}

async function applyRules(
  rules: FormRecord["validation"]["rules"],
  values: ReadonlyMap<string, readonly string[]>,
  files: ReadonlySet<string>,
  errors: FieldErrors,
): Promise<void> {
  const budget = { left: PATTERN_BUDGET.submission };
  let turn = performance.now();
  for (const { field, checks } of rules) {
    const filled = (values.get(field) ?? []).filter((value) => value.trim() !== "");
    for (const check of checks) {
      if (errors.has(field)) break;
      const message = fault(field, check, filled, files.has(field), budget);
      if (message !== null) errors.set(field, { message, rule: check.type });
      if (performance.now() - turn < TURN_MS) continue;
      // Others get their turn: a post may bring work for more time than one may keep the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      turn = performance.now();
    }
  }
}

/** Why a field fails a check, null when it passes. Every value of a repeated field must pass; what is empty fails only `required`. */
function fault(
  field: string,
  check: Check,
  filled: readonly string[],
  hasFile: boolean,
  budget: { left: number },
): string | null {
  const { type, value: wanted } = check;
  if (type === "required") return filled.length > 0 || hasFile ? null : sentence(field, check);
  if (type !== "pattern") {
    return filled.every((value) => valueChecks[type].passes(value, wanted)) ? null : sentence(field, check);
  }
  const pattern = patternOf(wanted);
  // A pattern that the engine no longer takes is the form's fault and not the visitor's.
  if ("error" in pattern) return null;
  const cost = patternCost(pattern, filled);
  if (cost > PATTERN_BUDGET.check || cost > budget.left) return `The ${field} is too long for this rule.`;
  budget.left -= cost;
  return filled.every((value) => pattern.test(value)) ? null : sentence(field, check);
}

/** What matching all the values of a field costs at most. */
const patternCost = ({ cost }: Pattern, values: readonly string[]): number =>
  cost * values.reduce((sum, { length }) => sum + length, 0);

function patternOf(source: string): Pattern | { readonly error: string } {
  const known = compiled.get(source);
  if (known) return known;
  const fresh = compilePattern(source);
  compiled.set(source, fresh);
  return fresh;
}

async function applySchema(
  schema: StandardSchema,
  values: ReadonlyMap<string, readonly string[]>,
  errors: FieldErrors,
): Promise<void> {
  // Without a prototype, so that a field named `__proto__` is a field and nothing else.
  const input: Record<string, string | string[]> = Object.create(null);
  for (const [key, [first = "", ...more]] of values) input[key] = more.length > 0 ? [first, ...more] : first;
  const { issues } = await schema["~standard"].validate(input);
  for (const issue of issues ?? []) {
    const field = fieldOf(issue);
    if (!errors.has(field)) errors.set(field, { message: issue.message, rule: "schema" });
  }
}

/** Values are text or lists of text, so that the first step of a path is the field; an issue without a path is the whole form's. */
function fieldOf({ path }: StandardIssue): string {
  const [step] = path ?? [];
  return step === undefined ? "_form" : String(typeof step === "object" ? step.key : step);
}

function byName(fields: readonly SubmissionField[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { key, value } of fields) {
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  return values;
}

function failed(errors: FieldErrors): ApiError {
  const fields: Record<string, FieldError> = Object.create(null);
  for (const [field, error] of errors) fields[field] = error;
  const [first] = errors.values();
  const more = errors.size > 1 ? ` (+${errors.size - 1} more errors)` : "";
  return new ApiError("validation_failed", { message: `${first?.message}${more}`, fields });
}
