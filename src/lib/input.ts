import type { z } from "zod";
import { ApiError } from "../errors.ts";

/** Checks input against its schema; the first fault becomes `invalid_parameter` with the field's dot path in `param`. */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  // With its input, or an issue can't tell what is missing from what is of the wrong type.
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (!issue) throw new ApiError("invalid_parameter");
  const path = issue.path.map(String);
  if (issue.code === "unrecognized_keys") path.push(...issue.keys.slice(0, 1));
  if (path.length === 0) throw new ApiError("invalid_parameter", { message: "Send a JSON object." });
  const param = path.join(".");
  throw new ApiError("invalid_parameter", { param, message: `\`${param}\` ${sentence(issue)}.` });
}

function sentence(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return "is unknown or read-only here; leave it out";
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${article(issue.expected)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_big":
    case "too_small":
      return bound(issue);
    case "invalid_union":
      return issue.errors.at(-1)?.[0]?.message.replace(/^Invalid input: /, "is wrong: ") ?? "is wrong";
    default:
      return /^(must|is|has|does)\b/.test(issue.message) ? issue.message : `is wrong: ${issue.message}`;
  }
}

const article = (type: string): string =>
  type === "int" ? "a whole number" : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

function bound(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): string {
  const [word, edge] = issue.code === "too_big" ? ["at most", issue.maximum] : ["at least", issue.minimum];
  if (issue.origin === "string")
    return edge === 1 && word === "at least" ? "must not be empty" : `must have ${word} ${edge} characters`;
  if (issue.origin === "array") return `must have ${word} ${edge} entries`;
  return `must be ${word} ${edge}`;
}
