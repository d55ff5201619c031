import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Row } from "../../core/rows.ts";
import { inSlices } from "../../lib/turn.ts";
import type { Caller } from "../../model/keys.ts";
import type { WithoutCheck } from "../../model/spam-backtest.ts";
import type { Verdict } from "../../model/verdict.ts";
import { weighed } from "../spam/findings.ts";

const MAX_SUBMISSIONS = 2_000;
const MAX_IDS = 100;
/** Findings that count together, so that one of them may not be enough without another. */
const TOGETHER: ReadonlySet<string> = new Set(["header_injection", "links", "phrases", "session", "repeated"]);

/** Counts from the stored verdicts what a form's spam would be without one of its checks. Changes nothing. Throws `scan_concurrency`. */
export async function withoutCheck(
  core: Core,
  caller: Caller,
  form: Row<"forms">,
  check: string,
): Promise<WithoutCheck> {
  const release = takeScan(core, caller, "filtered");
  try {
    const ids: string[] = [];
    let [spam, through] = [0, 0];
    const pause = inSlices();
    const newest = core.rows.walk("submissions", {
      index: "form_spam",
      equals: { form_id: form.id, spam: true },
      order: "desc",
      most: MAX_SUBMISSIONS,
      through: readerOf(core, caller),
    });
    for await (const rows of newest) {
      for (const { id, value } of rows) {
        spam++;
        if (isHeldBy(check, value.verdict, form.value.settings.spam.threshold)) {
          through++;
          if (ids.length < MAX_IDS) ids.push(id);
        }
        await pause();
      }
    }
    return { spam, through, ids };
  } finally {
    release();
  }
}

/** True if a submission is spam by this check, and would not be without it. */
function isHeldBy(check: string, verdicts: readonly Verdict[], threshold: Parameters<typeof weighed>[1]): boolean {
  const found = verdicts.filter(({ spam }) => spam);
  const others = found.filter((one) => one.check !== check);
  if (others.length === found.length) return false;
  if (others.some((one) => !TOGETHER.has(one.check))) return false;
  return !weighed(others, threshold).some(({ spam }) => spam);
}
