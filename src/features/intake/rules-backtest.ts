import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { labelOf } from "../../model/form-record.ts";
import type { Caller } from "../../model/keys.ts";
import type { RulesBacktest } from "../../model/rules.ts";
import { opened } from "../privacy/shown.ts";
import { readyRules } from "./form-rules.ts";
import { validate } from "./validate.ts";

const MAX_SUBMISSIONS = 500;
/** Patterns on long texts take their time. */
const BUDGET_MS = 5_000;
const MAX_IDS = 100;

/**
 * Tries the rules of a form, saved or not, on its newest 500 submissions, spam left out. They are tried even if validation is
 * off. Changes nothing. Throws `scan_concurrency`.
 */
export async function backtestRules(core: Core, caller: Caller, form: Row<"forms">): Promise<RulesBacktest> {
  const { value } = form;
  const release = takeScan(core, caller, "filtered");
  try {
    const rules = await readyRules(value.validation, value.team_id);
    const found = new Map<string, { field: string; rule: string; refused: number }>();
    const ids: string[] = [];
    let [checked, refused] = [0, 0];
    const end = performance.now() + BUDGET_MS;
    const newest = core.rows.walk("submissions", {
      index: "form_spam",
      equals: { form_id: form.id, spam: false },
      order: "desc",
      most: MAX_SUBMISSIONS,
      limit: 50,
      through: readerOf(core, caller),
    });
    for await (const rows of newest) {
      for (const row of rows) {
        if (performance.now() > end) return { checked, complete: false, refused, by_rule: sorted(found), ids };
        const { fields, attachments } = await opened(core, row.id, row.value);
        const keys = attachments.map(({ key }) => key);
        const faults = await faultsOf(() => validate(rules, fields, undefined, keys, labelOf(value), value.team_id));
        checked++;
        if (faults.length === 0) continue;
        refused++;
        if (ids.length < MAX_IDS) ids.push(row.id);
        for (const fault of faults) {
          const key = JSON.stringify(fault);
          const [field, rule] = fault;
          const known = found.get(key) ?? { field, rule, refused: 0 };
          known.refused++;
          found.set(key, known);
        }
      }
    }
    return { checked, complete: true, refused, by_rule: sorted(found), ids };
  } finally {
    release();
  }
}

const sorted = (found: ReadonlyMap<string, RulesBacktest["by_rule"][number]>) =>
  [...found.values()].sort((a, b) => b.refused - a.refused);

/** The fields and checks that a post would fail. */
async function faultsOf(judge: () => Promise<void>): Promise<[field: string, rule: string][]> {
  try {
    await judge();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "validation_failed") throw error;
    return Object.entries(error.fields ?? {}).map(([field, { rule }]) => [field, rule ?? ""]);
  }
}
