import type { z } from "zod";
import { OptionsSchema } from "./schema.ts";

/** The first fault of the host's options: the option's name, the fault, and what to write instead. */
export function faultOf(issues: readonly z.core.$ZodIssue[], input: unknown): string {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return 'object: missing; write createFormBackend({ baseUrl: "https://app.example.com/forms" })';
  // First the names: a misspelt one is also why another one is missing.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (!issue) return "object: is wrong";
  const at = issue.path.map(String);
  if (issue.code !== "unrecognized_keys") return `\`${at.join(".")}\`: ${sentence(issue, at)}`;
  const name = String(issue.keys[0]);
  const meant = nearest(name, namesAt(OptionsSchema, at));
  return `\`${[...at, name].join(".")}\`: is not an option${meant ? `; did you mean \`${[...at, meant].join(".")}\`?` : ""}`;
}

function sentence(issue: z.core.$ZodIssue, at: readonly string[]): string {
  if (issue.input === undefined && at.join(".") === "baseUrl")
    return "must be the http(s) URL where the backend is mounted, such as https://app.example.com/forms; it is undefined";
  if (issue.code === "invalid_type") return `must be of the type ${issue.expected}`;
  return issue.message;
}

/** The names that the object under a path takes. */
function namesAt(schema: z.ZodType, path: readonly string[]): string[] {
  let place: unknown = schema;
  for (const name of path) place = shapeOf(place)?.[name];
  return Object.keys(shapeOf(place) ?? {});
}

function shapeOf(schema: unknown): Record<string, unknown> | undefined {
  if (schema === undefined) return undefined;
  const { shape, def } = schema as { shape?: Record<string, unknown>; def?: { innerType?: unknown } };
  return shape ?? (def?.innerType === undefined ? undefined : shapeOf(def.innerType));
}

/** The probable meaning of a misspelt name: equal except for case and punctuation, or at most two letters different. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, "");
  const distances = known.map((one) => ({ one, away: distance(plain(one), plain(name).slice(0, 64)) }));
  const [first] = distances.sort((a, b) => a.away - b.away);
  return first && first.away <= 2 && first.away < plain(name).length / 2 ? first.one : undefined;
}

/** Letters to put in, take out or change (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
