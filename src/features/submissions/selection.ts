import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { emailKindOf } from "../../model/emails.ts";
import type { Caller } from "../../model/keys.ts";
import type { SubmissionBulk } from "../../model/submissions.ts";
import { reachSubmissions } from "./access.ts";
import { isChangedBy } from "./bulk.ts";
import { missedJobs } from "./missed.ts";

/** Submissions of one form. */
export interface OfForm {
  readonly form_id: string;
  readonly team_id: string;
  readonly ids: string[];
  /** Those that are snoozed, with the time of their return: whoever takes a change of their state back snoozes them again. */
  readonly snoozed: Readonly<Record<string, string>>;
}

/**
 * The submissions among these that the caller reaches, form by form; with an action, those that it would change. What is to be
 * restored is in the trash.
 */
export async function byForm(
  core: Core,
  caller: Caller,
  { ids, action }: { readonly ids: readonly string[]; readonly action?: SubmissionBulk["action"] | undefined },
): Promise<OfForm[]> {
  const now = core.clock.now();
  const found = await reached(core, caller, ids, action === "restore" ? "trashed_submissions" : "submissions");
  return found.flatMap(({ form_id, team_id, rows }) => {
    const meant = action === undefined ? rows : rows.filter(({ value }) => isChangedBy(value, action, now));
    if (meant.length === 0) return [];
    const snoozed = meant.flatMap(({ id, value: { work } }) => (work?.snoozed_until ? [[id, work.snoozed_until]] : []));
    return [{ form_id, team_id, ids: meant.map(({ id }) => id), snoozed: Object.fromEntries(snoozed) }];
  });
}

/** The emails and calls of webhooks that releasing these submissions from spam would send. Those of others count for nothing. */
export async function heldBack(
  core: Core,
  caller: Caller,
  ids: readonly string[],
): Promise<{ emails: number; webhooks: number }> {
  const counts = { emails: 0, webhooks: 0 };
  for (const { rows } of await reached(core, caller, ids)) {
    for (const { id, value } of rows) {
      for (const job of await missedJobs(core, id, value)) {
        if (job.kind === "webhook") counts.webhooks++;
        // Mails in the service's own name are none of the team's.
        else if (emailKindOf(job)) counts.emails++;
      }
    }
  }
  return counts;
}

async function reached(
  core: Core,
  caller: Caller,
  ids: readonly string[],
  collection: "submissions" | "trashed_submissions" = "submissions",
) {
  const forms = new Map<string, { form_id: string; team_id: string; rows: Row<"submissions">[] }>();
  for (const row of (await core.rows.many(collection, ids)).values()) {
    const { form_id, team_id } = row.value;
    const known = forms.get(form_id) ?? { form_id, team_id, rows: [] };
    known.rows.push(row);
    forms.set(form_id, known);
  }
  const all = [...forms.values()];
  const open = await Promise.all(all.map(({ form_id }) => isReached(core, caller, form_id)));
  return all.filter((_, i) => open[i]);
}

/** False for a form that the caller can't reach; throws any other error. */
async function isReached(core: Core, caller: Caller, form_id: string): Promise<boolean> {
  try {
    await reachSubmissions(core, caller, form_id);
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
}
