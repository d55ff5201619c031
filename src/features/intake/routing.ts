import type { Core } from "../../core/core.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { sameAddressKey } from "../../lib/email.ts";
import { inSlices, ownTurn } from "../../lib/turn.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { type Condition, conditionsIn, type RoutedTo, type Target } from "../../model/routing.ts";
import type { SubmissionField } from "../../model/submission-field.ts";
import { conditionsOf, type ReadyCheck } from "./form-rules.ts";
import { CHECK_BUDGET, costOf, type FieldValues, fieldValuesOf, HEAVY, valuesByName } from "./values.ts";

/** The content of a post that conditions look at, in clear. */
interface Content {
  readonly fields: readonly SubmissionField[];
  /** The names of the fields with a file. */
  readonly files: readonly string[];
}

/** Decides where a submission goes, for a form that routes. */
export async function routedTo(core: Core, form: Stored<FormRecord>, { fields, files }: Content): Promise<RoutedTo> {
  const { rules, otherwise } = form.value.settings.routing;
  const ready = await conditionsOf(core, form);
  const judge = judgeOf(valuesByName(fields), new Set(files));
  if (ready.reduce((sum, { field, checks: [check] }) => sum + judge.cost(field, check), 0) > HEAVY) await ownTurn();
  const pause = inSlices(form.value.team_id);
  const matched: number[] = [];
  let at = 0;
  for (const [index, rule] of rules.entries()) {
    const conditions = conditionsIn(rule);
    const needsAll = rule.if.all !== undefined;
    let met = needsAll;
    for (const [of, condition] of conditions.entries()) {
      met = judge.holds(condition, ready[at + of]?.checks[0]);
      await pause();
      if (met !== needsAll) break;
    }
    at += conditions.length;
    if (!met) continue;
    matched.push(index + 1);
    if (rule.stop) break;
  }
  const targets =
    matched.length > 0 ? matched.flatMap((number) => rules[number - 1]?.to ?? []) : otherwise ? [otherwise] : [];
  return {
    rules: matched,
    otherwise: matched.length === 0 && otherwise !== null,
    ...destinations(form.value, targets),
  };
}

/** Judges conditions on one post, each check of a field once. */
function judgeOf(values: ReadonlyMap<string, readonly string[]>, files: ReadonlySet<string>) {
  const budget = { left: CHECK_BUDGET.submission as number };
  const filled = new Map<string, FieldValues>();
  const known = new Map<object, Map<string, boolean | null>>();

  function valuesOf(field: string): FieldValues {
    const found = filled.get(field) ?? fieldValuesOf(values.get(field) ?? []);
    filled.set(field, found);
    return found;
  }

  /** Null where finding out would cost more than a post may. */
  function judged(field: string, type: Condition["type"], by: NonNullable<ReadyCheck["by"]>): boolean | null {
    const all = valuesOf(field);
    if (all.values.length === 0) return type === "not_contains";
    const cost = costOf(by, all);
    if (cost > ("pattern" in by ? Math.min(CHECK_BUDGET.pattern, budget.left) : budget.left)) return null;
    budget.left -= cost;
    if ("pattern" in by) return all.values.some(({ text }) => by.pattern.test(text));
    return type === "not_contains" ? all.values.every(by.judge) : all.values.some(by.judge);
  }

  return {
    cost: (field: string, check: ReadyCheck | undefined): number =>
      check?.by && !known.has(keyOf(check.by)) ? costOf(check.by, valuesOf(field)) : 0,
    holds({ field, type, negate }: Condition, check: ReadyCheck | undefined): boolean {
      // A pattern that the engine no longer takes.
      if (!check) return false;
      const { by } = check;
      if (by === null) return (valuesOf(field).values.length > 0 || files.has(field)) !== negate;
      const ofCheck = known.get(keyOf(by)) ?? new Map<string, boolean | null>();
      known.set(keyOf(by), ofCheck);
      const before = ofCheck.get(field);
      const passes = before === undefined ? judged(field, type, by) : before;
      ofCheck.set(field, passes);
      return passes !== null && passes !== negate;
    },
  };
}

/** What conditions of the same kind and value share. */
const keyOf = (by: NonNullable<ReadyCheck["by"]>): object => ("pattern" in by ? by.pattern : by.judge);

/** The destinations of all targets together. A member that none of them names is the form's whole list. */
function destinations(
  { self_email_notification: mail, webhooks }: FormRecord,
  targets: readonly Target[],
): Omit<RoutedTo, "rules" | "otherwise"> {
  const subject = targets.findLast((target) => target.subject !== undefined)?.subject ?? null;
  if (targets.some(({ none }) => none)) return { recipients: [], cc: [], bcc: [], webhooks: [], subject };
  const named = <T>(member: (target: Target) => readonly T[] | undefined): readonly T[] | null => {
    const lists = targets.flatMap((target) => [member(target) ?? []]);
    return targets.some((target) => member(target) !== undefined) ? lists.flat() : null;
  };
  /** The form's addresses that a list names, and no earlier list. */
  const taken = new Set<string>();
  const among = (list: readonly string[] | null): string[] => {
    const wanted = new Set((list ?? []).map(sameAddressKey));
    return mail.recipients.filter((address) => {
      const key = sameAddressKey(address);
      return wanted.has(key) && !taken.has(key) && taken.add(key);
    });
  };
  const own = named(({ recipients }) => recipients);
  const first = own && among(own);
  const cc = among(named((target) => target.cc));
  const bcc = among(named((target) => target.bcc));
  const recipients = first ?? among(mail.recipients);
  const ids = named((target) => target.webhooks);
  return {
    // A mail needs somebody in its To.
    ...(recipients.length > 0 ? { recipients, cc } : { recipients: cc, cc: [] }),
    bcc,
    webhooks: webhooks.map(({ id }) => id).filter((id) => ids === null || ids.includes(id)),
    subject,
  };
}
