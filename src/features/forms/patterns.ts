import { wrongParameter } from "../../errors.ts";
import { compilePattern, type Pattern } from "../../lib/pattern.ts";
import { inSlices } from "../../lib/turn.ts";
import type { RoutingRuleInput } from "../../model/routing.ts";
import type { SettingsAt } from "./settings.ts";

type Rules = readonly {
  readonly field: string;
  readonly checks: readonly { readonly type?: unknown; readonly value?: string | undefined }[];
}[];

/** Limits for all patterns of one form together: compile cost (half a second in all), and instructions kept in memory. */
export const FORM_PATTERNS = { weight: 100_000, program: 50_000 } as const;

export interface CompiledPatterns {
  /** By their source. */
  readonly patterns: ReadonlyMap<string, Pattern>;
  /** The first one that can't be used. */
  readonly fault: { readonly rule: number; readonly check: number; readonly error: string } | null;
}

/** Compiles the patterns of a form, each source once, in steps that leave the event loop to others. */
export async function compilePatterns(rules: Rules, team_id?: string): Promise<CompiledPatterns> {
  const patterns = new Map<string, Pattern>();
  const refused = new Set<string>();
  const left = { ...FORM_PATTERNS };
  const pause = inSlices(team_id);
  let fault: CompiledPatterns["fault"] = null;
  for (const [r, { checks }] of rules.entries()) {
    for (const [c, { type, value: source = "" }] of checks.entries()) {
      if (type !== "pattern" || patterns.has(source) || refused.has(source)) continue;
      const error = left.weight < 0 || left.program < 0 ? OVER_BUDGET : await add(source);
      if (error !== null) {
        refused.add(source);
        fault ??= { rule: r, check: c, error };
      }
      await pause();
    }
  }
  return { patterns, fault };

  async function add(source: string): Promise<string | null> {
    const pattern = await compilePattern(source);
    if ("error" in pattern) {
      // Finding out takes time too.
      left.weight -= 1_000;
      return pattern.error;
    }
    left.weight -= pattern.weight;
    left.program -= pattern.cost;
    if (left.weight < 0 || left.program < 0) return OVER_BUDGET;
    patterns.set(source, pattern);
    return null;
  }
}

const OVER_BUDGET = "takes the patterns of this form beyond what they may cost together; use fewer or simpler ones";

/** Throws `invalid_parameter` naming the first pattern that can't be used. */
export async function assertPatterns(
  validation: { rules?: Rules | undefined } | undefined,
  team_id?: string,
): Promise<void> {
  const { fault } = await compilePatterns(validation?.rules ?? [], team_id);
  if (fault) throw wrongParameter(`validation.rules.${fault.rule}.checks.${fault.check}.value`, fault.error);
}

/** The same for the conditions of a form's routing. */
export async function assertConditions(
  rules: readonly RoutingRuleInput[] = [],
  at: SettingsAt,
  team_id?: string,
): Promise<void> {
  const checks = rules.map(({ if: { all, any } }) => ({ field: "", checks: all ?? any ?? [] }));
  const { fault } = await compilePatterns(checks, team_id);
  if (!fault) return;
  const list = rules[fault.rule]?.if.all === undefined ? "any" : "all";
  throw wrongParameter(`${at}routing.rules.${fault.rule}.if.${list}.${fault.check}.value`, fault.error);
}
