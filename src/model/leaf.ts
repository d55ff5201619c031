import { z } from "zod";
import { strict } from "../lib/input.ts";
import type { Leaf as StoredLeaf } from "../lib/leaves.ts";

/** One leaf of a form's settings: all that is known of it. */
export interface Leaf<S extends z.ZodType = z.ZodType, F extends string = string> {
  /** The whole value. A patch of an object may leave members out, and one of a record takes null, which removes an entry. */
  readonly schema: S;
  /** The value for forms stored before the leaf existed. */
  readonly default: z.output<S>;
  /** Reads the stored value, where its entries have defaults that the schema does not say. */
  readonly stored?: StoredLeaf<z.output<S>>;
  /** Set where only the host may write the leaf, in process. */
  readonly hostOnly?: true;
  /** The plan's boolean that the leaf needs, if the sent value switches something on. */
  readonly plan?: { readonly feature: F; readonly switchesOn: (sent: z.output<PatchOf<S>>) => boolean };
  /** Makes the whole value from a patch, if merging the leaves is not enough. Nulls are removed afterwards. */
  readonly merge?: (before: z.output<S>, sent: z.output<PatchOf<S>>) => object;
}

/** Types an entry. */
export const leaf = <S extends z.ZodType, const E extends Leaf<S>>(entry: E & { readonly schema: S }): E => entry;

/** The patch of a schema: any members of an object, any entries of a record, anything else as a whole. */
export type PatchOf<S extends z.ZodType> =
  S extends z.ZodObject<infer Shape>
    ? z.ZodObject<{ [K in keyof Shape]: Shape[K] extends z.ZodType ? z.ZodOptional<PatchOf<Shape[K]>> : never }>
    : S extends z.ZodRecord<infer K, infer V>
      ? V extends z.ZodType
        ? z.ZodRecord<K, z.ZodNullable<PatchOf<V>>>
        : never
      : S;

/** Makes the schema of a patch of `schema`. Unknown members are refused at every depth. */
export function patchOf(schema: z.ZodType): z.ZodType {
  const { description } = schema;
  const described = (made: z.ZodType): z.ZodType => (description === undefined ? made : made.describe(description));
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>);
    return described(strict(Object.fromEntries(members.map(([name, inner]) => [name, patchOf(inner)]))).partial());
  }
  if (schema instanceof z.ZodRecord) {
    return described(z.record(schema.keyType as z.ZodString, patchOf(schema.valueType as z.ZodType).nullable()));
  }
  return schema;
}
