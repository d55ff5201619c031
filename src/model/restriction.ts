import { plainName } from "../lib/field-name.ts";
import { block, type Leaf, list, oneOf, optional, text } from "../lib/leaves.ts";
import type { Caller } from "./keys.ts";

/**
 * The fields that a webhook, a recipient or a key does not get, because whoever made it does not get them either. Without it,
 * anybody who may add a destination could have hidden values sent there.
 */
export interface Restriction {
  /** Set if an agent made it: it gets submissions as the field policies show them to agents. */
  readonly sees?: "agents";
  /** Names of further fields that it does not get, with `*` for any characters. */
  readonly without?: readonly string[];
}

/** Reads a restriction from the store. */
export const restrictionLeaf: Leaf<Restriction> = block<Restriction>({
  sees: optional(oneOf(["agents"] as const)),
  without: optional(list(text())),
});

/** The restriction of all that a caller makes; undefined for one who gets every field. */
export function restrictionOf({ sees, without = [], passesOn = [] }: Caller): Restriction | undefined {
  const names = [...new Set([...without, ...passesOn])];
  if (!sees && names.length === 0) return undefined;
  return { ...(sees && { sees }), ...(names.length > 0 && { without: names }) };
}

/** Both restrictions together. */
export function bothOf(a: Restriction | undefined, b: Restriction | undefined): Restriction | undefined {
  if (!a || !b) return a ?? b;
  const sees = a.sees ?? b.sees;
  const without = [...new Set([...(a.without ?? []), ...(b.without ?? [])])];
  return { ...(sees && { sees }), ...(without.length > 0 && { without }) };
}

const patternOf = (name: string): RegExp =>
  new RegExp(`^${name.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*+/g, "[^]*")}$`, "iu");

/** Tells whether a field is among names with `*` for any characters, however it is spelled: see `plainName`. */
export function fieldMatcher(names: readonly string[]): (field: string) => boolean {
  const patterns = names.flatMap((name) => [patternOf(name), patternOf(plainName(name))]);
  return (field) => {
    const plain = plainName(field);
    return patterns.some((pattern) => pattern.test(field) || pattern.test(plain));
  };
}
