import type { Uploads } from "./uploads.ts";

/** Uploads of a form that is known only from a field of the body. */
export interface LateUploads extends Uploads {
  /** The uploads of the form. Throws what `open` throws. */
  opened(): Promise<Uploads>;
}

/** `open` runs once: when the first file begins to arrive, or at `opened`. */
export function lateUploads(open: () => Promise<Uploads>): LateUploads {
  let opening: Promise<Uploads> | null = null;
  let known: Uploads | null = null;
  const opened = (): Promise<Uploads> => {
    opening ??= open().then((uploads) => {
      known = uploads;
      return uploads;
    });
    return opening;
  };
  // Getters cost more here than elsewhere (see `FieldCollector`), but only posts that name their form in the body.
  return {
    opened,
    get list() {
      return known?.list ?? [];
    },
    get keys() {
      return known?.keys ?? [];
    },
    fingerprint: () => known?.fingerprint() ?? "",
    get inputs() {
      return known?.inputs ?? new Map();
    },
    get maxFiles() {
      return known?.maxFiles ?? null;
    },
    hasBegun: () => known?.hasBegun() ?? false,
    keep: async (commit) => (await opened()).keep(commit),
    take: async (upload) => (await opened()).take(upload),
    claim: async (claims) => (await opened()).claim(claims),
    scan: async () => known?.scan(),
    close: async () => known?.close(),
  };
}
