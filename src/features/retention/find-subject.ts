import type { Core } from "../../core/core.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Row } from "../../core/rows.ts";
import type { DataSubject } from "../../model/data-subjects.ts";
import type { Caller } from "../../model/keys.ts";
import type { Redaction } from "../../model/redaction.ts";
import { keptBack } from "./data-subjects.ts";
import { holding } from "./holding.ts";

/** The submissions of a person, as far as a page shows them. */
export interface Found {
  /** The first ones, in clear, oldest first in each run. */
  readonly rows: Row<"submissions">[];
  /** The number of all that were found. */
  readonly total: number;
  /** False if reading took too long, and there may be more. */
  readonly complete: boolean;
}

interface Limits {
  readonly most: number;
  /** Time to read for, in milliseconds. */
  readonly budgetMs: number;
  readonly keep?: Redaction | undefined;
}

/** Finds the submissions with an address, over all forms that the caller reaches. Throws `scan_concurrency`. */
export async function findSubject(
  core: Core,
  caller: Caller,
  { email }: DataSubject,
  { most, budgetMs, keep }: Limits,
): Promise<Found> {
  const release = takeScan(core, caller, "long");
  const until = performance.now() + budgetMs;
  const rows: Row<"submissions">[] = [];
  let total = 0;
  try {
    for await (const page of keptBack(holding(core, caller, email), email, keep)) {
      rows.push(...page.slice(0, most - rows.length));
      total += page.length;
      if (performance.now() > until) return { rows, total, complete: false };
    }
    return { rows, total, complete: true };
  } finally {
    release();
  }
}
