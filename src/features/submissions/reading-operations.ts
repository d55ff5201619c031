import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { memberOperation } from "../../core/member-operation.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { parseInput } from "../../lib/input.ts";
import type { Caller, Scope } from "../../model/keys.ts";
import { AllSubmissionsQuery, SubmissionExportQuery } from "../../model/submission-queries.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { shownTo } from "../privacy/shown.ts";
import { personCard } from "./card.ts";
import { countBriefly } from "./count-briefly.ts";
import { exportSubmissions } from "./export.ts";
import { assertZips } from "./file-operations.ts";
import { stateOf } from "./list-state.ts";
import { submissionsNear } from "./near.ts";
import { activitiesOf } from "./notes.ts";
import { TableFormat } from "./table-file.ts";
import { trashDays } from "./trash.ts";
import { toHostSubmission } from "./view.ts";
import { withoutCheck } from "./without-check.ts";

const logs: readonly Scope[] = ["forms:read", "submissions:read"];

/** The parameters of a list as HTTP has them, which the handler reads, so that errors name them as the list does. */
const Query = z.record(z.string(), z.unknown());

/** Reads of submissions by the inbox, beyond the lists of the API. */
export const readingOperations = {
  /** The submissions of a list next to one of them, the nearest first: of the form, or with `everywhere` of all forms. */
  listNear: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    body: z.strictObject({
      query: Query,
      after: z.strictObject({ sort: z.string(), id: z.string() }),
      everywhere: z.boolean(),
    }),
    handler: ({ core, caller, form_id, body: { query, after, everywhere } }) => {
      const { cursor: _, ...asked } = parseInput(AllSubmissionsQuery, query);
      return submissionsNear(core, caller, everywhere ? null : form_id, { ...asked, after });
    },
  }),
  /** A submission in the trash. Throws `submission_not_found`. */
  retrieveTrashed: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    body: z.strictObject({ id: z.string() }),
    handler: async ({ core, caller, form_id, body: { id } }) => {
      const row = await core.rows.get("trashed_submissions", id);
      if (row?.value.form_id !== form_id) throw new ApiError("submission_not_found");
      return toHostSubmission(core, id, await shownOne(core, caller, row));
    },
  }),
  /** The sender of a submission; null in the trash, and without an address that the person may see. */
  personCard: memberOperation({
    form: "kept",
    scopes: logs,
    body: z.strictObject({ id: z.string() }),
    handler: async ({ core, caller, form_id, redaction, body: { id } }) => {
      const row = await core.rows.get("submissions", id);
      return row?.value.form_id === form_id ? personCard(core, caller, row, redaction) : null;
    },
  }),
  /** The number of hits of a search beside a list: what a moment is enough for. */
  countBriefly: memberOperation({
    scopes: ["submissions:read"],
    body: z.strictObject({ query: Query }),
    handler: ({ core, caller, body: { query } }) => countBriefly(core, caller, parseInput(AllSubmissionsQuery, query)),
  }),
  /** A text that changes when somebody has changed one of the latest submissions of a form, read from the columns alone. */
  listState: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    body: z.strictObject({ spam: z.boolean() }),
    handler: ({ core, form_id, body: { spam } }) => stateOf(core, form_id, spam),
  }),
  /** The days that deleted submissions of a form stay in the trash. */
  trashDaysOf: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    handler: async ({ core, form, caller }) => {
      const team_id = form?.value.team_id ?? caller.team_ids?.[0];
      return team_id === undefined ? 0 : trashDays(core, team_id);
    },
  }),
  /** What people noted on a submission and did with it, oldest first. */
  listActivities: memberOperation({
    form: "kept",
    scopes: ["submissions:read"],
    body: z.strictObject({ id: z.string() }),
    handler: async ({ core, form_id, body: { id } }) => {
      const row = (await core.rows.get("submissions", id)) ?? (await core.rows.get("trashed_submissions", id));
      if (row?.value.form_id !== form_id) throw new ApiError("submission_not_found");
      return (await activitiesOf(core, id)).map(({ id: activity, value }) => ({ id: activity, ...value }));
    },
  }),
  /** A file of the submissions that match, or of those with `ids`. */
  exportChosen: memberOperation({
    form: "live",
    scopes: logs,
    right: "export",
    redacts: true,
    body: z.strictObject({ query: Query, ids: z.array(z.string()), as: TableFormat.optional() }),
    handler: async ({ core, caller, form, redaction, signal, body: { query, ids, as } }) => {
      if (as?.format === "xlsx") await assertZips();
      return exportSubmissions(core, caller, form.id, parseInput(SubmissionExportQuery, query), {
        signal,
        alter: (record) => redaction?.record(record) ?? record,
        only: ids.length > 0 ? ids : undefined,
        as,
      });
    },
  }),
  /** A submission that waits for its sender; null if it was confirmed meanwhile. Throws `submission_not_found`. */
  retrievePending: memberOperation({
    form: "live",
    scopes: logs,
    body: z.strictObject({ pending_id: z.string() }),
    handler: async ({ core, caller, form, body: { pending_id: id } }) => {
      const row = await core.rows.get("pending_submissions", id);
      if (row?.value.form_id === form.id) {
        const { consent, expires_at } = row.value;
        return { submission: toHostSubmission(core, id, await shownOne(core, caller, row)), consent, expires_at };
      }
      const stored = row ? null : await core.rows.get("submissions", id);
      if (stored?.value.form_id === form.id) return null;
      throw new ApiError("submission_not_found");
    },
  }),
  /** Submissions that one check alone has held back. Throws `scan_concurrency`. */
  countWithoutCheck: memberOperation({
    form: "live",
    scopes: logs,
    body: z.strictObject({ check: z.string() }),
    handler: ({ core, caller, form, body }) => withoutCheck(core, caller, form, body.check),
  }),
};

/** One submission, without the fields that the caller never gets. */
async function shownOne(core: Core, caller: Caller, row: Row<"submissions">): Promise<SubmissionRecord> {
  const [shown] = (await shownTo(core, caller, [row])) as [Row<"submissions">];
  return shown.value;
}
