import type { z } from "zod";
import { block, dictionary, flag, type Leaf, list, nullable, number, oneOf, optional, text } from "../lib/leaves.ts";

/** The parts of a zod schema that are read here: its documented structure. */
interface Def {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly element?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly entries?: Readonly<Record<string, string>>;
  readonly options?: readonly z.ZodType[];
  readonly values?: readonly unknown[];
  readonly defaultValue?: unknown;
}

/**
 * Makes the reader of a stored value from its schema, with `fallback` as the default. It checks only types, so values that an
 * earlier version accepted stay readable under today's limits. Unions of other types than text are not checked.
 */
export function leafOf(schema: z.ZodType, fallback?: unknown): Leaf<unknown> {
  const def = schema.def as unknown as Def;
  switch (def.type) {
    case "string":
      return text(fallback as string | undefined);
    case "number":
    case "int":
      return number(fallback as number | undefined);
    case "boolean":
      return flag(fallback as boolean | undefined);
    case "enum":
      return oneOf(Object.values(def.entries ?? {}), fallback as string | undefined);
    case "nullable":
      return nullable(leafOf(def.innerType as z.ZodType));
    case "optional":
      return optional(leafOf(def.innerType as z.ZodType));
    case "default":
      return leafOf(def.innerType as z.ZodType, fallback ?? def.defaultValue);
    case "array":
      return list(leafOf(def.element as z.ZodType), fallback as unknown[] | undefined);
    case "record":
      return dictionary(leafOf(def.valueType as z.ZodType));
    case "object": {
      const members = Object.entries(def.shape ?? {});
      return block(Object.fromEntries(members.map(([name, inner]) => [name, leafOf(inner, memberOf(fallback, name))])));
    }
    default:
      return isText(schema) ? text(fallback as string | undefined) : { read: (stored) => stored ?? fallback };
  }
}

const memberOf = (value: unknown, name: string): unknown => (value as Record<string, unknown> | undefined)?.[name];

function isText(schema: z.ZodType): boolean {
  const def = schema.def as unknown as Def;
  if (def.type === "union") return (def.options ?? []).every(isText);
  if (def.type === "literal") return (def.values ?? []).every((value) => typeof value === "string");
  return def.type === "string";
}
