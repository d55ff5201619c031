import { z } from "zod";

const number = (value: string) => (value.trim() !== "" && Number.isFinite(Number(value)) ? null : "must be a number");
const length = (value: string) => (/^\d{1,6}$/.test(value) ? null : "must be a whole number of characters");
const anything = (value: string) => (value === "" ? "is required for this check" : null);

/** Each check's rule for `value`: null means that it takes none; a function returns a sentence if the value is wrong. */
const values = {
  required: null,
  email: null,
  url: null,
  number: null,
  date: null,
  phone: null,
  contains: anything,
  not_contains: anything,
  equals: anything,
  one_of: anything,
  min_length: length,
  max_length: length,
  min: number,
  max: number,
  // `patterns.ts` checks that it compiles, in steps: here, a thousand patterns would block the event loop.
  pattern: anything,
} as const satisfies Record<string, null | ((value: string) => string | null)>;

export type CheckType = keyof typeof values;
export const checkTypes = Object.keys(values) as [CheckType, ...CheckType[]];

const Check = z.object({
  /** The kind of check. */
  type: z.enum(checkTypes),
  /** The value to compare with, for kinds that need one. */
  value: z.string().max(5000).default(""),
  /** The sentence for the visitor; empty for the default. */
  message: z.string().max(500).default(""),
});
export type Check = z.output<typeof Check>;

/** The fault in the value of a check; null if there is none. */
export function valueFault(type: CheckType, value: string): string | null {
  const judge: ((value: string) => string | null) | null = values[type];
  if (judge === null) return value === "" ? null : "is not used by this check";
  return value === "" ? "is required for this check" : judge(value);
}

const CheckInput = Check.strict().superRefine(({ type, value }, context) => {
  const fault = valueFault(type, value);
  if (fault) context.addIssue({ code: "custom", path: ["value"], message: fault });
});

/** One field and the checks of its value. */
export interface Rule {
  field: string;
  checks: Check[];
}

const Rule = z.object({
  /** The field's name. */
  field: z.string().min(1).max(200),
});
const checksOf = <T extends z.ZodType>(check: T) => ({
  /** Checks that its values must pass. */
  checks: z.array(check).max(10),
});

/** The validation rules of a form, in responses. */
export const Rules = z.array(Rule.extend(checksOf(Check))).max(100);
/** As a request sends them, to replace those of before as a whole. */
export const RulesInput = z.array(Rule.extend(checksOf(CheckInput)).strict()).max(100);

/** Submissions that a form's rules would have refused. */
export interface RulesBacktest {
  /** Submissions that were tried. */
  readonly checked: number;
  /** False if there was no time for all of them. */
  readonly complete: boolean;
  readonly refused: number;
  /** Refused submissions by field and check, most first. */
  readonly by_rule: readonly { readonly field: string; readonly rule: string; readonly refused: number }[];
  /** Newest first; at most 100. */
  readonly ids: readonly string[];
}
