type Plain = { [key: string]: unknown };

/** True for an object with members, which is no list. */
export const isPlain = (value: unknown): value is Plain =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Merges the leaves of `patch` into `base`: objects merge, lists and everything else replace, `undefined` changes nothing.
 * `patch` must be validated and have only own keys. `base` is not changed.
 */
export function mergeLeaves<T extends object>(base: T, patch: object): T {
  const out = { ...base } as Plain;
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    const before = out[key];
    out[key] = isPlain(before) && isPlain(value) ? mergeLeaves(before, value) : value;
  }
  return out as T;
}
