import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import type { Pattern } from "../../lib/pattern.ts";
import { inSlices } from "../../lib/turn.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { conditionsIn } from "../../model/routing.ts";
import { compilePatterns } from "../forms/patterns.ts";
import { type Judge, valueChecks } from "./checks.ts";

type Rules = FormRecord["validation"]["rules"];
type Check = Rules[number]["checks"][number];

/** A check as posts are judged by it; one of a pattern that the engine no longer takes is left out. */
export interface ReadyCheck {
  readonly check: Check;
  /** Null for `required`, which looks at the whole field. */
  readonly by: { readonly judge: Judge } | { readonly pattern: Pattern } | null;
}

export interface ReadyRule {
  readonly field: string;
  readonly checks: readonly ReadyCheck[];
}

/** The rules of a form, read once for all posts: patterns compiled, lists split. In steps, because it takes its time. */
export async function readyRules(
  { rules }: { readonly rules: Rules; readonly enabled?: boolean },
  team_id?: string,
): Promise<readonly ReadyRule[]> {
  const { patterns } = await compilePatterns(rules, team_id);
  const pause = inSlices(team_id);
  const judges = new Map<string, Judge>();
  const ready: ReadyRule[] = [];
  for (const { field, checks } of rules) {
    const kept: ReadyCheck[] = [];
    for (const check of checks) {
      const by = read(check);
      if (by !== undefined) kept.push({ check, by });
      await pause();
    }
    ready.push({ field, checks: kept });
  }
  return ready;

  /** Undefined for a pattern that can't be used: that is the form's fault and not the visitor's. */
  function read({ type, value }: Check): ReadyCheck["by"] | undefined {
    if (type === "required") return null;
    if (type === "pattern") {
      const pattern = patterns.get(value);
      return pattern && { pattern };
    }
    const key = `${type} ${value}`;
    const judge = judges.get(key) ?? valueChecks[type].judge(value);
    judges.set(key, judge);
    return { judge };
  }
}

interface Ready {
  readonly version: number;
  readonly rules: Promise<readonly ReadyRule[]>;
  /** Characters and instructions, as an estimate of its memory. */
  weight: number;
}

/** Of all forms together: some ten MB. */
const MAX_WEIGHT = 2_000_000;
const PER_FORM = 1_000;

interface Kept {
  readonly forms: Map<string, Ready>;
  weight: number;
}

/** Makes rules of a form ready once for each version of it, however many posts come at the same time. */
function readyOnce(rulesIn: (form: FormRecord) => Rules) {
  const keptOf = perBackend((): Kept => ({ forms: new Map(), weight: 0 }));
  return async (core: Core, { id, version, value }: Stored<FormRecord>): Promise<readonly ReadyRule[]> => {
    const rules = rulesIn(value);
    if (rules.length === 0) return [];
    const kept = keptOf(core);
    const found = kept.forms.get(id);
    if (found?.version === version) {
      // A Map keeps the order of insertion: the first form is the one unused for longest.
      kept.forms.delete(id);
      kept.forms.set(id, found);
      return found.rules;
    }
    const fresh: Ready = { version, rules: readyRules({ rules }, value.team_id), weight: PER_FORM };
    drop(kept, id);
    kept.forms.set(id, fresh);
    kept.weight += fresh.weight;
    const ready = await fresh.rules.catch((error: unknown) => {
      // The next post tries again.
      if (kept.forms.get(id) === fresh) drop(kept, id);
      throw error;
    });
    const weight = weightOf(ready);
    if (kept.forms.get(id) === fresh) {
      kept.weight += weight;
      fresh.weight += weight;
      for (const oldest of kept.forms.keys()) {
        if (kept.weight <= MAX_WEIGHT) break;
        if (oldest !== id) drop(kept, oldest);
      }
    }
    return fresh.rules;
  };
}

function drop(kept: Kept, form: string): void {
  kept.weight -= kept.forms.get(form)?.weight ?? 0;
  kept.forms.delete(form);
}

/** The rules that a post must keep. */
export const rulesOf = readyOnce(({ validation: { enabled, rules } }) => (enabled ? rules : []));

/** The conditions of a form's routing in their order, as rules of one check each. */
export const conditionsOf = readyOnce(({ settings }) =>
  settings.routing.rules.flatMap((rule) =>
    conditionsIn(rule).map(({ field, type, value }) => ({
      field,
      checks: [{ type: type === "exists" ? ("required" as const) : type, value, message: "" }],
    })),
  ),
);

const weightOf = (rules: readonly ReadyRule[]): number =>
  rules
    .flatMap(({ checks }) => checks)
    .reduce((sum, { check, by }) => sum + check.value.length + (by && "pattern" in by ? 10 * by.pattern.cost : 50), 0);
