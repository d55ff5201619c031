import { z } from "zod";

const known = new WeakMap<z.ZodType, z.ZodType>();

/**
 * Reduces a schema to its shape: the same members and types, without limits and formats. Responses are checked by their shape.
 * A limit may be newer than the stored value, and one value beyond it must not make a whole list fail. Members that the schema
 * doesn't name are still removed, so that no secret gets out. Enums stay: the readers of the records know them too.
 */
export function shapeOf<S extends z.ZodType>(schema: S): S {
  const shape = known.get(schema) ?? reduced(schema);
  known.set(schema, shape);
  return shape as S;
}

function reduced(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return z.string();
  if (schema instanceof z.ZodNumber) return z.number();
  if (schema instanceof z.ZodArray) return z.array(shapeOf(schema.element as z.ZodType));
  if (schema instanceof z.ZodRecord) return z.record(z.string(), shapeOf(schema.valueType as z.ZodType));
  if (schema instanceof z.ZodNullable) return shapeOf(schema.unwrap() as z.ZodType).nullable();
  if (schema instanceof z.ZodExactOptional) return shapeOf(schema.unwrap() as z.ZodType).exactOptional();
  if (schema instanceof z.ZodOptional) return shapeOf(schema.unwrap() as z.ZodType).optional();
  // Stored values have every member: the reader of the record fills in the absent ones.
  if (schema instanceof z.ZodDefault) return shapeOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return z.union(schema.options.map((option) => shapeOf(option as z.ZodType)));
  if (!(schema instanceof z.ZodObject)) return schema;
  const members = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>);
  return z.object(Object.fromEntries(members.map(([name, member]) => [name, shapeOf(member)])));
}
