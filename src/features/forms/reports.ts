import type { Core } from "../../core/core.ts";
import { ignoreStale, put, type Row } from "../../core/rows.ts";
import { signerFor } from "../../core/signer-for.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { dayOf, iso } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import { safeMessage } from "../../lib/message.ts";
import { type AbuseList, AbuseListQuery, type AbuseReport, type AbuseReportRecord } from "../../model/abuse.ts";
import { tellHost, wakeHost } from "../webhooks/host-events.ts";

const signerOf = signerFor("report");
/** Reports of a form that are kept: more say nothing new. */
const MOST = 100;
const MAX_REASON = 1_000;

/** A report about a form, and the writes that store it and tell the host's webhooks. */
export function reportOf(
  core: Core,
  found: Omit<AbuseReportRecord, "created_at">,
  id = core.sortableId(core.clock.now()),
): { report: AbuseReport; writes: Write[] } {
  const record: AbuseReportRecord = { ...found, created_at: iso(core.clock.now()) };
  const report = { id, ...record };
  return { report, writes: [put("abuse_reports", id, record, null), ...tellHost(core, "abuse.reported", report)] };
}

/**
 * Keeps what a visitor says of a form: once a day for an address and form, and at most 100 for a form. The address is not kept. Never
 * says whether it was kept.
 */
export async function keepReport(
  core: Core,
  form: Row<"forms">,
  address: string | null,
  reason: string,
): Promise<void> {
  const { count } = await core.storage.count("abuse_reports", {
    index: "form",
    equals: { form_id: form.id },
    budgetMs: 500,
  });
  if (count >= MOST) return;
  const day = dayOf(iso(core.clock.now()));
  // A keyed hash: nobody finds the address by trying all of them.
  const id = signerOf(core)
    .conceal(JSON.stringify([form.id, address, day]))
    .slice(0, 32);
  const about = { form_id: form.id, team_id: form.value.team_id, kind: "report" as const };
  const { report, writes } = reportOf(core, { ...about, reason: safeMessage(reason).slice(0, MAX_REASON) }, id);
  let isNew = true;
  await core.commitNow(writes).catch((error: unknown) => {
    ignoreStale(error);
    isNew = false;
  });
  if (isNew) tellReported(core, report);
}

/** Tells the host of a report. */
export function tellReported(core: Core, report: AbuseReport): void {
  core.events.emit("abuse.reported", report);
  wakeHost(core);
  core.options.logger.warn(
    `form ${report.form_id} was reported by a ${report.kind === "check" ? "check" : "visitor"}`,
    {
      form_id: report.form_id,
      team_id: report.team_id,
    },
  );
}

/** Reports of all forms or of one, newest first. Throws `invalid_parameter`. */
export async function listReports(core: Core, query: AbuseListQuery = {}): Promise<AbuseList> {
  const { form_id, limit, cursor } = parseInput(AbuseListQuery, query);
  const scope = JSON.stringify(["abuse", form_id ?? null]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  const run = form_id === undefined ? { index: "all", equals: {} } : { index: "form", equals: { form_id } };
  const { rows, next } = await core.rows.page("abuse_reports", { partitions: [run], after, order: "desc", limit });
  const data = rows.map(({ id, value }) => ({ id, ...value }));
  return { data, has_more: next !== null, next_cursor: next && core.cursors.issue(next, scope) };
}
