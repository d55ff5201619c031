import type { z } from "zod";
import { ApiError } from "../../errors.ts";

/**
 * A parameter may be repeated only if its schema is a list. If the schema of `name` is a record, it takes parameters `name[…]`,
 * with the text after `name` as the key.
 */
export function queryOf(params: URLSearchParams, schema: z.ZodType | undefined): Record<string, unknown> {
  const shape = (schema as { shape?: Record<string, z.ZodType> } | undefined)?.shape ?? {};
  const query = new Map<string, unknown>();
  const records = new Map<string, [string, string][]>();
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name);
    const [value = ""] = values;
    const list = unwrapped(shape[name]) === "array";
    if (values.length > 1 && !list) {
      throw new ApiError("invalid_parameter", { param: name, message: `\`${name}\` may be given only once.` });
    }
    const bracket = name.indexOf("[");
    const owner = name.slice(0, Math.max(bracket, 0));
    if (unwrapped(shape[owner]) === "record") {
      records.set(owner, [...(records.get(owner) ?? []), [name.slice(bracket), value]]);
    } else query.set(name, list ? values : value);
  }
  for (const [owner, entries] of records) if (!query.has(owner)) query.set(owner, Object.fromEntries(entries));
  return Object.fromEntries(query);
}

function unwrapped(schema: z.ZodType | undefined): string | undefined {
  const def = schema?.def as { type: string; innerType?: z.ZodType } | undefined;
  return def?.innerType ? unwrapped(def.innerType) : def?.type;
}

/** Typed input as the text that HTTP carries, so that one schema checks both and names the same parameters. */
export function asQuery(input: object): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if ((name === "field" || name === "source") && typeof value === "object" && value !== null)
      query[name] = flatFilters(value);
    else if (name === "country" && Array.isArray(value)) query[name] = value.join(",");
    else query[name] = asText(value);
  }
  return query;
}

function flatFilters(filters: object): Record<string, unknown> {
  const flat: [string, unknown][] = [];
  for (const [name, byOperator] of Object.entries(filters)) {
    if (typeof byOperator !== "object" || byOperator === null) flat.push([`[${name}]`, ""]);
    else for (const [op, value] of Object.entries(byOperator)) flat.push([`[${name}][${op}]`, asText(value)]);
  }
  return Object.fromEntries(flat);
}

const asText = (value: unknown): unknown =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : value;
