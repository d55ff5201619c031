import { z } from "zod";
import { ApiError } from "../../errors.ts";
import { parseInput } from "../../lib/input.ts";
import type { NumberedFilter, NumberedQuery } from "../../model/submission-numbered.ts";

const MAX_PARTS = 20;

const Filters = z.string().transform((raw, context): NumberedFilter[] => {
  const filters = parseFilters(raw);
  if (typeof filters !== "string") return filters;
  context.addIssue({ code: "custom", message: filters });
  return z.NEVER;
});

const ListQuery = z.object({
  limit: z
    .string()
    .regex(/^([1-9]|[1-4]\d|50)$/, "must be a whole number from 1 to 50")
    .default("25")
    .transform(Number),
  page: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, "must be a whole number, 1 or more")
    .default("1")
    .transform(Number),
  sort: z
    .string()
    .regex(
      /^(createdAt|updatedAt):(1|-1)$/,
      "must be createdAt or updatedAt with an order of 1 or -1, such as createdAt:-1",
    )
    .default("createdAt:-1"),
  filter: Filters.default([]),
});

/** The query of a legacy list. Throws `invalid_parameter`. */
export function parseListQuery({ search, searchParams }: URL): NumberedQuery {
  const query: Record<string, string | undefined> = {};
  for (const name of Object.keys(ListQuery.shape)) {
    const values = name === "filter" ? undecoded(search, name) : searchParams.getAll(name);
    if (values.length > 1) {
      throw new ApiError("invalid_parameter", { param: name, message: `\`${name}\` may be given only once.` });
    }
    query[name] = values[0];
  }
  const { sort, ...rest } = parseInput(ListQuery, query);
  return {
    ...rest,
    sort: sort.startsWith("updatedAt") ? "updated_at" : "created_at",
    order: sort.endsWith(":1") ? "asc" : "desc",
  };
}

const undecoded = (search: string, name: string): string[] =>
  search
    .slice(1)
    .split("&")
    .flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));

/**
 * Reads a filter from the raw query string: decoded first, an encoded comma in a value would look like a separator. A client
 * that encodes the whole filter encodes every colon, which identifies it. Returns a sentence on a fault.
 */
function parseFilters(raw: string): NumberedFilter[] | string {
  if (raw === "") return [];
  const whole = raw.includes(":") ? null : decoded(raw);
  const parts = (whole ?? raw).split(",");
  if (parts.length > MAX_PARTS) return `must have at most ${MAX_PARTS} parts`;
  const filters: NumberedFilter[] = [];
  for (const part of parts) {
    const filter = parseFilter(part, whole === null ? decoded : (text) => text);
    if (typeof filter === "string") return `${filter}; see \`${part.slice(0, 100)}\``;
    filters.push(filter);
  }
  return filters;
}

function parseFilter(part: string, decode: (text: string) => string | null): NumberedFilter | string {
  const colon = part.indexOf(":");
  if (colon < 1) return "must be key:value pairs separated by commas, with commas inside a value written as %2C";
  const key = decode(part.slice(0, colon))?.trim();
  const once = decode(part.slice(colon + 1));
  if (key === undefined || once === null) return "must be percent-encoded UTF-8";
  const value = encodedTwice(once);
  if (key === "date") {
    return /^[1-9]\d{0,4}$/.test(value)
      ? { days: Number(value) }
      : "must have a whole number of days in date, 1 or more";
  }
  if (key === "spam" || key === "attachments") {
    if (value !== "true" && value !== "false") return `must have true or false in ${key}`;
    return { column: key === "spam" ? "spam" : "attached", value: value === "true" };
  }
  const match = /^(.+)_(contains|notcontains)$/su.exec(key);
  if (!match?.[1]) return "must have keys out of date, attachments, spam, <field>_contains and <field>_notcontains";
  if (value === "") return `must have a value in ${key}`;
  return { field: encodedTwice(match[1]), op: match[2] === "contains" ? "contains" : "not_contains", value };
}

/** Null where it is not percent-encoded UTF-8. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/**
 * Many clients encode a value before their library encodes the query: text that is exactly such an encoder's output is decoded
 * again.
 */
function encodedTwice(once: string): string {
  try {
    const twice = decodeURIComponent(once);
    return encodeURIComponent(twice) === once ? twice : once;
  } catch {
    return once;
  }
}
