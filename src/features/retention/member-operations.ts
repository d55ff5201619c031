import type { Core } from "../../core/core.ts";
import { memberOperation } from "../../core/member-operation.ts";
import type { Row } from "../../core/rows.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { DataSubject } from "../../model/data-subjects.ts";
import type { Caller } from "../../model/keys.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { daysKept } from "../forms/retention-mark.ts";
import { eraseSubject, exportSubject, keepOf } from "./data-subjects.ts";
import { findSubject } from "./find-subject.ts";

/** Submissions of a person that a page shows. */
const MOST_SHOWN = 100;
/** Time that a page may read for; the export and the erasure take all that they need. */
const BUDGET_MS = 5_000;

const logs = ["forms:read", "submissions:read"] as const;

/**
 * The end of a submission: at a time, never, or with its form, which only the sweep knows. One that waits for its sender's
 * confirmation is `pending`, and one that is not stored and goes once it is delivered is `passing`.
 */
export type EndOfSubmission = { readonly at: string } | "never" | "unknown" | "pending" | "passing";

/** A submission of a person, as the list of them shows it. */
export interface PersonSubmission {
  readonly id: string;
  readonly record: SubmissionRecord;
  /** Null for a deleted form. */
  readonly form_name: string | null;
  readonly end: EndOfSubmission;
}

/** All that is stored of one person, over the forms of a team. */
export const personOperations = {
  /** The submissions with an address, as far as a page shows them, and the number of all. */
  findPerson: memberOperation({
    team: "part",
    scopes: logs,
    body: DataSubject,
    redacts: true,
    async handler({ core, caller, team, body, redaction }) {
      const limits = { most: MOST_SHOWN, budgetMs: BUDGET_MS, keep: redaction ?? keepOf(caller) };
      const { rows, total, complete } = await findSubject(core, within(caller, team.id), body, limits);
      return { data: await withForms(core, rows), total, complete };
    },
    audit: { action: "find_person", ids: ({ data }) => data.map(({ id }) => id) },
  }),
  /** All of it as the text of a file. */
  exportPerson: memberOperation({
    team: "part",
    scopes: logs,
    right: "export",
    body: DataSubject,
    redacts: true,
    handler: async ({ core, caller, team, body, redaction, signal }) =>
      exportSubject(core, within(caller, team.id), body, signal, redaction ?? undefined),
    audit: { action: "export_person", ids: nobody },
  }),
  /** Erases all of it. Answers the receipt. */
  erasePerson: memberOperation({
    team: "part",
    scopes: logs,
    right: "erase",
    body: DataSubject,
    handler: ({ core, caller, team, body }) => eraseSubject(core, within(caller, team.id), body),
    audit: { action: "erase_person", ids: nobody },
  }),
};

/** Never the address: what remains of a person must not be a list of who asked to be forgotten. */
function nobody(): readonly string[] {
  return [];
}

const within = (caller: Caller, team_id: string): Caller => ({ ...caller, team_ids: [team_id] });

async function withForms(core: Core, rows: readonly Row<"submissions">[]): Promise<PersonSubmission[]> {
  const ids = rows.map(({ id }) => id);
  const [forms, stored, pending] = await Promise.all([
    core.rows.many("forms", [...new Set(rows.map(({ value }) => value.form_id))]),
    core.storage.get("submissions", ids),
    core.storage.get("pending_submissions", ids),
  ]);
  return rows.map(({ id, value }) => {
    const form = forms.get(value.form_id) ?? null;
    const end = stored.has(id) ? endOf(value.created_at, form) : pending.has(id) ? "pending" : "passing";
    return { id, record: value, form_name: form?.value.name ?? null, end };
  });
}

function endOf(created_at: string, form: Row<"forms"> | null): EndOfSubmission {
  // A deleted form's submissions go when they would have gone with it, which only the sweep knows.
  if (!form) return "unknown";
  const days = daysKept(form.value);
  return days === null ? "never" : { at: iso(Date.parse(created_at) + days * DAY_MS) };
}
