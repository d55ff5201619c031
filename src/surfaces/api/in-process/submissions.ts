import type { HostNoteCreate, Note, NoteDeleted, NoteList } from "../../../model/activities.ts";
import type { DataSubjectExport, ErasureReceipt, HostDataSubject } from "../../../model/data-subjects.ts";
import type { ImportDeleted, ImportOptions, ImportResult, ImportRows } from "../../../model/import.ts";
import type {
  SavedReply,
  SavedReplyCreate,
  SavedReplyDeleted,
  SavedReplyList,
  SavedReplyPatch,
} from "../../../model/saved.ts";
import type { SpamBacktestInput, SpamBacktestResult } from "../../../model/spam-backtest.ts";
import type {
  SubmissionBulkMatching,
  SubmissionBulkResult,
  SubmissionBulkStep,
} from "../../../model/submission-bulk.ts";
import type { SubmissionFiltersInput } from "../../../model/submission-queries.ts";
import type {
  HostSubmission,
  HostSubmissionList,
  SubmissionBulk,
  SubmissionCount,
  SubmissionDeleted,
  SubmissionPatch,
} from "../../../model/submissions.ts";
import type { HostCalls } from "./call.ts";

/** Filters, order and page of `submissions.list`. */
export interface SubmissionListInput extends SubmissionFiltersInput {
  /** `desc` (default) is newest first. */
  order?: "asc" | "desc";
  /** 1 to 100, default 25. */
  limit?: number;
  /** The `next_cursor` of the page before. */
  cursor?: string;
  /** Only these forms, in a list over all. */
  form_id?: string[];
  /** Only this team, in a list over all. */
  team_id?: string;
}

/** Submissions of visitors. `formId` may be a deleted form, because its submissions are kept. */
export interface SubmissionsApi {
  /**
   * Returns a page of the submissions of one form, or of all forms if `formId` is null; without spam unless you set `status`.
   *
   * @throws `form_not_found`, `invalid_parameter`
   */
  list(formId: string | null, query?: SubmissionListInput): Promise<HostSubmissionList>;
  /**
   * Returns one submission, with the result of each spam check.
   *
   * @throws `form_not_found`, `invalid_parameter`, `submission_not_found`
   */
  get(formId: string, id: string): Promise<HostSubmission>;
  /**
   * Returns the number of matching submissions, and their 20 largest groups with `group_by`: `day`, `week`, `month`, `country`,
   * `spam`, `read`, `field:NAME` or `source:NAME`. A count stops after 5 s and returns its result so far with `exact: false`.
   *
   * @throws `form_not_found`, `invalid_parameter`
   */
  count(formId: string, query?: SubmissionFiltersInput & { group_by?: string }): Promise<SubmissionCount>;
  /**
   * Tries spam settings, by default those of the form, on its newest 500 submissions, or `limit` up to 2,000. Returns how many
   * they consider spam, and the ids of those that are marked differently in the store. Changes nothing.
   *
   * @throws `form_not_found`, `invalid_parameter`
   * @example
   * const { false_positives } = await backend.submissions.backtestSpam(formId, { spam: { words: ["casino"] } });
   */
  backtestSpam(formId: string, input?: SpamBacktestInput): Promise<SpamBacktestResult>;
  /**
   * Marks a submission as read or unread, as spam or not, as done or open again; assigns, labels or snoozes it. `deliver` with
   * `spam: false` also sends the emails and webhooks that spam had skipped, once. Returns the changed submission.
   *
   * @throws `form_not_found`, `invalid_parameter`, `submission_not_found`
   */
  update(formId: string, id: string, patch: SubmissionPatch, options?: { deliver?: boolean }): Promise<HostSubmission>;
  /**
   * Deletes a submission and its files; its pending deliveries are skipped. With `trash` it is kept in the trash for the plan's
   * `trash_days`, from where the bulk action `restore` takes it back. Returns `{ id, deleted: true }`.
   *
   * @throws `form_not_found`, `invalid_parameter`, `submission_not_found`
   */
  delete(formId: string, id: string, options?: { trash?: boolean }): Promise<SubmissionDeleted>;
  /**
   * Changes at most 500 submissions. `deliver` with `mark_not_spam` also sends the emails and webhooks that spam had skipped,
   * once. Returns the number of changed submissions, and the ids that the form doesn't have.
   *
   * @throws `form_not_found`, `invalid_parameter`
   */
  bulk(formId: string, input: SubmissionBulk): Promise<SubmissionBulkResult>;
  /**
   * Changes all matching submissions, newest first, 500 in a step. While `has_more` is true, call it again with `cursor:
   * next_cursor`; submissions that arrive in between are not changed. `status` defaults to `inbox`. Returns how many matched
   * and how many were changed.
   *
   * @throws `form_not_found`, `invalid_parameter`
   * @example
   * let cursor: string | undefined;
   * do {
   * const step = await backend.submissions.bulkMatching(form.id, { q: "casino" }, { action: "mark_spam", ...(cursor && { cursor }) });
   *   cursor = step.next_cursor ?? undefined;
   * } while (cursor);
   */
  bulkMatching(
    formId: string,
    query: SubmissionFiltersInput,
    input: SubmissionBulkMatching,
  ): Promise<SubmissionBulkStep>;
  /**
   * Returns all matching submissions as a stream of CSV (default), JSON or NDJSON: the same bytes as over HTTP. Cancel the
   * stream if you don't read all of it.
   *
   * @throws `form_not_found`, `invalid_parameter`
   */
  export(
    formId: string,
    query?: SubmissionFiltersInput & {
      order?: "asc" | "desc";
      format?: "csv" | "json" | "ndjson";
      include?: "work";
      notes?: boolean;
    },
  ): Promise<ReadableStream<Uint8Array>>;
  /**
   * Returns the notes of a submission, oldest first.
   *
   * @throws `form_not_found`, `submission_not_found`
   */
  notes(formId: string, id: string): Promise<NoteList>;
  /**
   * Adds a note, of at most 10,000 characters, in the name of `author` or of the host. Returns it.
   *
   * @throws `form_not_found`, `invalid_parameter`, `submission_not_found`
   * @example
   * await backend.submissions.addNote(form.id, id, { text: "Called back.", author: { id: "7", name: "Ann" } });
   */
  addNote(formId: string, id: string, note: HostNoteCreate): Promise<Note>;
  /**
   * Deletes a note. Returns `{ id, deleted: true }`.
   *
   * @throws `form_not_found`, `not_author`, `not_found`, `submission_not_found`
   */
  deleteNote(formId: string, id: string, noteId: string): Promise<NoteDeleted>;
  /**
   * Stores submissions from elsewhere, with their original times. Nothing is mailed or delivered, no event is emitted, no spam
   * check runs, and they don't count towards the plan. A second run stores nothing twice. A row that can't be read is reported
   * in `failed`; the others are stored. Rows are read as fast as they are stored, so any number fits into memory.
   * `form-backend/import` reads files and the APIs of other services.
   *
   * @throws `form_not_found`, `invalid_parameter`, `limit_reached`, and what `rows` throws
   * @example
   * const file = createReadStream("formspree.csv");
   * await backend.submissions.import(form.id, csvRows(file, "formspree"), { source: "formspree" });
   */
  import(formId: string, rows: ImportRows, options: ImportOptions): Promise<ImportResult>;
  /**
   * Removes what imports from this source have stored in the form, and subtracts it from the counters. What is in the trash stays
   * there. Returns the number of submissions.
   *
   * @throws `form_not_found`, `invalid_parameter`
   */
  deleteImported(formId: string, source: string): Promise<ImportDeleted>;
}

/** Replies that a team keeps for its people. */
export interface SavedRepliesApi {
  /**
   * Returns the replies of a team, by name. `team_id` is required as soon as there are several teams.
   *
   * @throws `invalid_parameter`, `not_found`
   */
  list(query?: { team_id?: string }): Promise<SavedReplyList>;
  /**
   * Keeps a reply; its text may have tags, as in mail templates.
   *
   * @throws `invalid_parameter`, `not_found`
   */
  create(input: SavedReplyCreate): Promise<SavedReply>;
  /**
   * Changes the name or the text of a reply.
   *
   * @throws `invalid_parameter`, `not_found`
   */
  update(id: string, patch: SavedReplyPatch): Promise<SavedReply>;
  /**
   * Deletes a reply. Returns `{ id, deleted: true }`.
   *
   * @throws `not_found`
   */
  delete(id: string): Promise<SavedReplyDeleted>;
}

/** Data of one person, over all forms. */
export interface DataSubjectsApi {
  /**
   * Returns every submission with this address in a field, as reply address, in the name of a file, the user agent or the page's URL, oldest first. `team_id` names
   * the team whose data is meant, null means all teams; it is required as soon as there is more than one.
   *
   * @throws `invalid_parameter`
   */
  export(subject: HostDataSubject): Promise<DataSubjectExport>;
  /**
   * Removes every submission with this address, including its files and deliveries. Returns a receipt with the numbers and the
   * time. `team_id` as in `export`.
   *
   * @throws `invalid_parameter`
   */
  erase(subject: HostDataSubject): Promise<ErasureReceipt>;
}

/** Submissions, as rows of the table. */
export const submissionsApi = ({ row, group, stream, own }: HostCalls): SubmissionsApi => ({
  ...group("submissions"),
  list: (formId, query) =>
    formId === null
      ? row("listAllSubmissions", { query })
      : row("listSubmissions", { params: { form_id: formId }, query }),
  backtestSpam: (formId, input = {}) => row("backtestSpam", { params: { form_id: formId }, body: input }),
  bulkMatching: (formId, query, input) =>
    row("bulkMatchingSubmissions", { params: { form_id: formId }, query, body: input }),
  export: (formId, query) => stream("exportSubmissions", { params: { form_id: formId }, query }),
  import: own(
    async (core, formId: string, rows: ImportRows, options: ImportOptions) =>
      (await import("../../../features/import/import.ts")).importSubmissions(core, formId, rows, options),
    (_, form_id, __, { dry_run }) => (dry_run ? null : { action: "import", form_id }),
  ),
  deleteImported: own(
    async (core, formId: string, source: string) =>
      (await import("../../../features/import/take-back.ts")).deleteImported(core, formId, source),
    (_, form_id, source) => ({ action: "take_back_import", form_id, ids: [source] }),
  ),
});
