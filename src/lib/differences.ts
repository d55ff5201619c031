import { isDeepStrictEqual } from "node:util";
import { isPlain } from "./merge.ts";

type Plain = Readonly<Record<string, unknown>>;

/** One leaf that differs. */
export interface LeafChange {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

/** The leaves of `wanted` that differ from `live`. Objects are compared by member, lists as a whole; null equals absence. */
export function differences(wanted: unknown, live: unknown, path: readonly string[] = []): LeafChange[] {
  if (wanted === undefined) return [];
  if (isPlain(wanted) && (live === undefined || live === null || isPlain(live))) {
    const before: Plain = isPlain(live) ? live : {};
    return Object.entries(wanted).flatMap(([name, inner]) =>
      differences(inner, Object.hasOwn(before, name) ? before[name] : undefined, [...path, name]),
    );
  }
  if (isDeepStrictEqual(wanted, live) || (wanted === null && live === undefined)) return [];
  return [{ path, before: live, after: wanted }];
}

/** The patch with these leaves and no others. */
export function patchOf(changes: readonly LeafChange[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const { path, after } of changes) {
    let at = patch;
    for (const name of path.slice(0, -1)) {
      if (!Object.hasOwn(at, name))
        Object.defineProperty(at, name, { value: {}, enumerable: true, configurable: true });
      at = at[name] as Record<string, unknown>;
    }
    Object.defineProperty(at, path.at(-1) ?? "", {
      value: after,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return patch;
}
