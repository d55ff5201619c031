import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import type { FormCheck, FormCheckResult } from "../../core/options/form-check.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { type Late, late } from "../../lib/late.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { TeamRecord } from "../../model/teams.ts";
import { toTeam } from "../teams/service.ts";
import { formNote, tellHost } from "../webhooks/host-events.ts";
import { reportOf, tellReported } from "./reports.ts";
import { asksForSecrets } from "./secrets-asked.ts";
import { toForm } from "./view.ts";

const MAX_REASON = 500;
/** Loaded once there is more than one team. */
const luresVisitors: Late<FormCheck> = late(async () => (await import("./lures.ts")).luresVisitors);

/** A form after its checks, with their reports. */
export interface Checked {
  readonly value: FormRecord;
  /** Reports, to be committed with the form. */
  readonly writes: readonly Write[];
  /** Tells the host, after the commit. */
  told(): void;
}

const NOTHING = { writes: [], told: (): void => {} };

/**
 * Has the host's checks, or ours, look at a form as it is to be stored: one may lock it, and every finding is a report. A lock that the
 * host has taken away stays away while the finding is the same.
 */
export async function checked(
  core: Core,
  { id, value }: { readonly id: string; readonly value: FormRecord },
  before: FormRecord | null,
  team: Stored<TeamRecord>,
): Promise<Checked> {
  const checks = await checksOf(core);
  if (checks.length === 0) return { value, ...NOTHING };
  const shown = toTeam(team.id, team.value);
  const [now, earlier] = await Promise.all([
    findings(core, checks, id, value, shown),
    before ? findings(core, checks, id, before, shown) : [],
  ]);
  const known = new Set(earlier.map(({ reason }) => reason));
  const fresh = now.filter(({ reason }) => !known.has(reason));
  if (fresh.length === 0) return { value, ...NOTHING };
  const reports = fresh.map(({ reason }) => reportOf(core, { form_id: id, team_id: team.id, kind: "check", reason }));
  const lock = fresh.find((one) => one.lock === true);
  const locked = value.locked ?? (lock ? { reason: lock.reason, at: iso(core.clock.now()) } : null);
  const next = { ...value, locked };
  const isLocked = locked !== null && value.locked === null;
  return {
    value: next,
    writes: [
      ...reports.flatMap(({ writes }) => writes),
      ...(isLocked ? tellHost(core, "form.locked", formNote(id, next)) : []),
    ],
    told: () => {
      for (const { report } of reports) tellReported(core, report);
    },
  };
}

/** Those of the option; where it is left out and there is more than one team, ours. */
async function checksOf(core: Core): Promise<readonly FormCheck[]> {
  if (core.options.formChecks) return core.options.formChecks;
  const teams = await core.storage.page("teams", {
    index: "all",
    equals: {},
    order: "asc",
    limit: 2,
    columnsOnly: true,
  });
  return teams.length > 1 ? [asksForSecrets, await luresVisitors.load()] : [];
}

async function findings(
  core: Core,
  checks: readonly FormCheck[],
  id: string,
  value: FormRecord,
  team: ReturnType<typeof toTeam>,
): Promise<FormCheckResult[]> {
  const form = await toForm(core, { id, value, version: 0 });
  const found: FormCheckResult[] = [];
  for (const check of checks) {
    try {
      const result = await check(form, { team });
      if (result && typeof result.reason === "string")
        found.push({ lock: result.lock === true, reason: result.reason.slice(0, MAX_REASON) });
    } catch (error) {
      core.options.logger.error(`option \`formChecks\`: a check failed, so it found nothing: ${faultText(error)}`);
    }
  }
  return found;
}
