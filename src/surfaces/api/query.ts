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
