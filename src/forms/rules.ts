import { z } from "zod";
import { compilePattern } from "../lib/pattern.ts";

const number = (value: string) => (value.trim() !== "" && Number.isFinite(Number(value)) ? null : "must be a number");
const length = (value: string) => (/^\d{1,6}$/.test(value) ? null : "must be a whole number of characters");
const anything = (value: string) => (value === "" ? "is required for this check" : null);

/** What each check wants in `value`: null takes none; a function answers a sentence where the value is wrong. */
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
  pattern(value) {
    const compiled = compilePattern(value);
    return "error" in compiled ? compiled.error : null;
  },
} as const satisfies Record<string, null | ((value: string) => string | null)>;

export type CheckType = keyof typeof values;
const checkTypes = Object.keys(values) as [CheckType, ...CheckType[]];

const Check = z.strictObject({
  type: z.enum(checkTypes),
  value: z.string().max(5000).default(""),
  message: z.string().max(500).default(""),
});
export type Check = z.output<typeof Check>;

const CheckInput = Check.superRefine(({ type, value }, context) => {
  const judge: ((value: string) => string | null) | null = values[type];
  const fault = judge
    ? value === ""
      ? "is required for this check"
      : judge(value)
    : value === ""
      ? null
      : "is not taken by this check";
  if (fault) context.addIssue({ code: "custom", path: ["value"], message: fault });
});

const rulesOf = <T extends z.ZodType>(check: T) =>
  z.array(z.strictObject({ field: z.string().min(1).max(200), checks: z.array(check).max(10) })).max(100);

/** The validation rules of a form, as an answer has them: compiling a thousand patterns for each form of a list takes seconds. */
export const Rules = rulesOf(Check);
/** As a request sends them, to replace those of before as a whole. */
export const RulesInput = rulesOf(CheckInput);
