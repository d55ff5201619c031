import { perBackend } from "../../core/per-backend.ts";
import { createLru, type Lru } from "../../lib/lru.ts";
import type { StandardSchema } from "../../lib/standard-schema.ts";
import type { Verdict } from "../../model/verdict.ts";

/** The number of recent posts with the same content, by its hash. */
export interface RecentPost {
  count: number;
  until: number;
}

/** Data that intake keeps in this process's memory; all of it may be lost at any time. */
export interface ProcessMemory {
  /** Schemas that code has registered, by form. */
  readonly schemas: Map<string, StandardSchema>;
  readonly posts: Lru<RecentPost>;
  /** Captchas that were solved by posts which were not stored, so that the corrected post need not solve another. */
  readonly captchas: Lru<{ readonly verdict: Verdict; readonly until: number }>;
}

export const processMemoryOf = perBackend(
  (): ProcessMemory => ({
    schemas: new Map(),
    posts: createLru(10_000),
    captchas: createLru(10_000),
  }),
);
