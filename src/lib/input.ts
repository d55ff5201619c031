import { z } from "zod";
import { ApiError, wrongParameter } from "../errors.ts";

/**
 * Makes an object schema that refuses unknown members. `elsewhere` maps some of them to a message, such as "is read-only here;
 * set it with …", without the member's name at the start and the full stop at the end.
 */
export const strict = <T extends z.ZodRawShape>(shape: T, elsewhere: Readonly<Record<string, string>> = {}) =>
  z.strictObject(shape, {
    error: (issue) => {
      const [name = ""] = issue.code === "unrecognized_keys" ? issue.keys : [];
      return Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
    },
  });

/** For `elsewhere`: members of the response that nobody can set. */
export const fixed = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, "is read-only; leave it out"]));

/**
 * Checks input against its schema. Throws `invalid_parameter` for the first fault, with the field's dot path in `param`. `at`
 * is the path of the input in the request; default: the input is the whole request.
 */
export function parseInput<T extends z.ZodType>(schema: T, input: unknown, at = ""): z.output<T> {
  // Reports the input, because without it an issue can't tell a missing value from one of the wrong type.
  const parsed = schema.safeParse(input, { reportInput: true });
  if (parsed.success) {
    assertNothingLost(input, parsed.data, at);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  if (!issue) throw new ApiError("invalid_parameter");
  const path = [...(at === "" ? [] : [at]), ...issue.path.map(String)];
  if (issue.code === "unrecognized_keys") path.push(...issue.keys.slice(0, 1));
  if (path.length === 0) throw new ApiError("invalid_parameter", { message: "Send a JSON object." });
  const param = path.join(".");
  throw wrongParameter(param, sentence(issue));
}

/**
 * Refuses a member named `__proto__` that a schema dropped silently: the value that it should protect would be stored
 * unencrypted. Names of fields, which no schema reads, may be any. Throws `invalid_parameter`.
 */
function assertNothingLost(input: unknown, parsed: unknown, at: string): void {
  const lost = lostProto(input, parsed);
  if (!lost) return;
  const param = [...(at === "" ? [] : [at]), ...lost].join(".");
  throw wrongParameter(param, "can't be used as a name here; leave it out");
}

/** The path of such a member, or null. */
function lostProto(input: unknown, parsed: unknown): string[] | null {
  if (input === parsed || !isPlain(input) || !isPlain(parsed)) return null;
  if (Object.hasOwn(input, "__proto__") && !Object.hasOwn(parsed, "__proto__")) return ["__proto__"];
  for (const name of Object.keys(parsed)) {
    const path = lostProto(input[name], parsed[name]);
    if (path) return [name, ...path];
  }
  return null;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function sentence(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "unrecognized_keys":
      return /^is\b/.test(issue.message) ? issue.message : "is unknown or read-only here; leave it out";
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${article(issue.expected)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_big":
    case "too_small":
      return bound(issue);
    case "invalid_union":
      // A sentence of the schema's own says more than that of its last branch.
      if (isSentence(issue.message)) return issue.message;
      if (issue.input === undefined) return "is required";
      return issue.errors.at(-1)?.[0]?.message.replace(/^Invalid input: /, "is wrong: ") ?? "is wrong";
    default:
      return isSentence(issue.message) ? issue.message : `is wrong: ${issue.message}`;
  }
}

const isSentence = (text: string): boolean => /^(must|is|has|does)\b/.test(text);

const article = (type: string): string =>
  type === "int" ? "a whole number" : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;

function bound(issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): string {
  const [word, edge] = issue.code === "too_big" ? ["at most", issue.maximum] : ["at least", issue.minimum];
  if (issue.origin === "string")
    return edge === 1 && word === "at least" ? "must not be empty" : `must have ${word} ${edge} characters`;
  if (issue.origin === "array") return `must have ${word} ${edge} entries`;
  return `must be ${word} ${edge}`;
}
