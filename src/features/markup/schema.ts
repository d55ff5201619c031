import { z } from "zod";
import type { StandardSchema } from "../../lib/standard-schema.ts";

/** The part of JSON Schema that says how to ask for a value. */
export interface JsonField {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly title?: string;
  readonly description?: string;
}

/** The members of a schema's input, and those that are required. */
export interface SchemaFields {
  readonly fields: ReadonlyMap<string, JsonField>;
  readonly required: ReadonlySet<string>;
}

/** The members of an object schema, where its library can say them; null otherwise. */
export function schemaFields(schema: StandardSchema): SchemaFields | null {
  const json = jsonOf(schema) as { properties?: Record<string, JsonField>; required?: string[] } | null;
  if (typeof json?.properties !== "object") return null;
  return { fields: new Map(Object.entries(json.properties)), required: new Set(json.required) };
}

/** As JSON Schema: by the standard's own way, by zod, or by a method such as arktype's. A schema that has no such form has none. */
function jsonOf(schema: StandardSchema): unknown {
  const { "~standard": standard } = schema as {
    readonly "~standard": StandardSchema["~standard"] & {
      readonly jsonSchema?: { input?(options: { target: string }): unknown };
    };
  };
  try {
    if (standard.jsonSchema?.input) return standard.jsonSchema.input({ target: "draft-2020-12" });
    if (standard.vendor === "zod") {
      return z.toJSONSchema(schema as unknown as z.ZodType, { io: "input", unrepresentable: "any" });
    }
    const own = (schema as { readonly toJsonSchema?: () => unknown }).toJsonSchema;
    return own ? own.call(schema) : null;
  } catch {
    return null;
  }
}
