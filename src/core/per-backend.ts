import type { Core } from "./core.ts";

/**
 * A feature's own memory in one backend, made at first use and released with the backend. Two backends in one process never
 * share it. Takes the function that makes it; returns a look-up by Core.
 *
 * @example
 * const counts = perBackend(() => new Map<string, number>());
 * counts(core).set("a", 1);
 */
export function perBackend<T>(make: (core: Core) => T): (core: Core) => T {
  const made = new WeakMap<Core, { readonly value: T }>();
  return (core) => {
    const known = made.get(core);
    if (known) return known.value;
    const value = make(core);
    made.set(core, { value });
    return value;
  };
}
