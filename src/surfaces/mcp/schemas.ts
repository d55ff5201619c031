import type { z } from "zod";
import { createSchemaBook, type JsonSchema } from "../api/schema-book.ts";

const book = createSchemaBook();
const REF = "#/components/schemas/";
/** Keywords that help no model, or that some clients can't read. */
const DROPPED = new Set(["$schema", "id", "examples", "pattern", "propertyNames", "title"]);

/** A schema as agents get it: without references, and with null as one more type. */
export function schemaOf(schema: z.ZodType, use: "parameters" | "body" | "answer"): JsonSchema {
  return lean(book.add(schema, use)) as JsonSchema;
}

function lean(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(lean);
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...own } = schema as Record<string, unknown>;
  if (typeof $ref === "string") return lean({ ...book.schemas[$ref.slice(REF.length)], ...own });
  const out: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(own)) {
    if (keyword === "properties") out[keyword] = mapped(value as Record<string, unknown>);
    else if (!DROPPED.has(keyword) && !(keyword === "format" && value !== "date-time"))
      out[keyword] = keyword === "enum" || keyword === "default" ? value : lean(value);
  }
  return nullable(out);
}

// Members may be named like keywords.
const mapped = (properties: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, lean(member)]));

/** `anyOf: [X, null]` as X whose type may be null too; of several X, the first one's. */
function nullable(schema: Record<string, unknown>): Record<string, unknown> {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema;
  const [other, none] = anyOf as Record<string, unknown>[];
  if (none?.["type"] !== "null") return schema;
  const several = other?.["anyOf"];
  if (Array.isArray(several)) {
    const [first, ...more] = several;
    return { ...rest, anyOf: [nullable({ anyOf: [first, none] }), ...more] };
  }
  if (typeof other?.["type"] !== "string") return schema;
  const values = other["enum"];
  return {
    ...other,
    ...rest,
    type: [other["type"], "null"],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  };
}
