import type { Value } from "../../src/drivers/storage/types.ts";

/** A deep copy, as JSON would make it, in a fifth of the time. Throws for what is not JSON, which a store would change silently. */
export function copyPlain<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => (one === undefined ? null : copyPlain(one))) as T;
  if (Object.getPrototypeOf(value) !== Object.prototype)
    throw new Error(`a stored value has ${String(value)}, which is not JSON`);
  const copy: Record<string, unknown> = {};
  for (const name in value) {
    const one = value[name];
    if (one !== undefined) copy[name] = copyPlain(one);
  }
  return copy as T;
}

let isOwn = false;
/** Runs work that may keep the values that it is given, since nobody else has them. */
export function owning<T>(work: () => T): T {
  isOwn = true;
  try {
    return work();
  } finally {
    isOwn = false;
  }
}

/** In the place of the copy that stores make. */
export const copyStored = (value: Value): Value => (isOwn ? value : copyPlain(value));
