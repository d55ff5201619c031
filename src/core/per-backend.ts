import type { Core } from "./core.ts";

const backends = new WeakMap<Core, Core>();

/** The core of the whole backend, for a view of it that `viewOf` has made; itself otherwise. */
export const backendOf = (core: Core): Core => backends.get(core) ?? core;

/** The same backend with other members, such as the options of one team. It shares every memory with the backend. */
export function viewOf(core: Core, members: Partial<Core>): Core {
  const view = { ...core, ...members };
  backends.set(view, backendOf(core));
  return view;
}

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
  return (asked) => {
    const known = made.get(asked);
    if (known) return known.value;
    // A view is one team's for a moment, and what is kept must not hold it.
    const core = backendOf(asked);
    const kept = made.get(core) ?? { value: make(core) };
    made.set(core, kept);
    if (asked !== core) made.set(asked, kept);
    return kept.value;
  };
}
