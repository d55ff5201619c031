import type { Core } from "../../core/core.ts";
import { LOG_DAYS } from "../../core/options/plans.ts";
import { ignoreStale, put, type Row, remove } from "../../core/rows.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { stateOf } from "../messages/shown.ts";
import { planOf } from "../teams/service.ts";
import { olderThan } from "./older.ts";
import { BATCH, type Run } from "./run.ts";

/** The longest time for which a plan keeps the log, in days. That of deliveries without a form, too. */
export const longestLog = (core: Core): number =>
  Math.max(LOG_DAYS, ...Array.from(core.options.plans.values(), ({ log_days }) => log_days));

/** Removes finished deliveries of these forms where their team's plan keeps the log for a shorter time than the longest one does. */
export async function expireLogs(run: Run, forms: readonly Row<"forms">[]): Promise<void> {
  const { core, now, swept } = run;
  const longest = longestLog(core);
  // In one statement: a look-up of each team would take every connection that posts need.
  const teams = await core.rows.many("teams", [...new Set(forms.map(({ value }) => value.team_id))]);
  const plans = forms.map(({ id, value }) => {
    const team = teams.get(value.team_id);
    return { id, days: team ? planOf(core, team.value).log_days : longest };
  });
  const short = plans.filter(({ days }) => days < longest);
  for (const { id, days } of await olderThan(run, short, "jobs")) {
    const where = [{ column: "created_at", op: "lt", value: iso(now - days * DAY_MS) }] as const;
    for await (const rows of core.rows.walk("jobs", { index: "form", equals: { form_id: id }, where, limit: BATCH })) {
      await run.alive();
      const ended = rows.filter(({ value }) => value.due_at === null);
      for (const row of ended) await keepState(core, row.id, row.value.kind);
      const writes = ended.map((row) => remove("jobs", row.id, row.version));
      if (await run.attempt(`deliveries of form ${id}`, () => core.commitNow(writes))) swept.deliveries += ended.length;
    }
  }
}

/** Notes in an answer what became of it, before its email leaves the log. */
export async function keepState(core: Core, id: string, kind: unknown): Promise<void> {
  if (kind !== "reply") return;
  const job = await core.rows.get("jobs", id);
  const message = job && (await core.rows.get("messages", id));
  if (!message) return;
  const state = stateOf(job.value);
  if (message.value.status === state.status && message.value.code === state.code) return;
  await core.commitNow([put("messages", id, { ...message.value, ...state }, message.version)]).catch(ignoreStale);
}
