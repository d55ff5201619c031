import type { SubmissionField } from "./submission-field.ts";

/** A spreadsheet has more columns than a form has fields. */
export const MAX_COLUMNS = 1_000;

/** A submission of another service, or of another form backend. */
export interface ImportRow {
  /** The time of the post: a `Date`, or ISO 8601 text. A time without a zone is UTC. */
  created_at: string | Date;
  /** The values, by name or as a list in order. */
  fields: SubmissionField[] | Record<string, unknown>;
  /**
   * The id at the source, by which a second run recognises the row; without it the row's content does. One of 24 hex digits, as our
   * exports have it, stays the submission's id if no other form has it.
   */
  source_id?: string | null | undefined;
  /** True for spam. Default false. */
  spam?: boolean | null | undefined;
  /** True if somebody has read it. Default false. */
  read?: boolean | null | undefined;
  /** The visitor's address. */
  ip?: string | null | undefined;
  /** The visitor's country: two letters. */
  country?: string | null | undefined;
  /** The visitor's browser. */
  user_agent?: string | null | undefined;
  /** The page with the form. */
  referer?: string | null | undefined;
  /** The line of the file, for the report of a fault. */
  line?: number | undefined;
}

/** A record of a file that is no row: `import` reports it among `failed`. */
export interface UnreadableRow {
  /** A sentence that says what is wrong. */
  unreadable: string;
  /** The line of the file. */
  line?: number | undefined;
}

/** The rows of an import: a list, or an iterable that is read as fast as its rows are stored. */
export type ImportRows = AsyncIterable<ImportRow | UnreadableRow> | Iterable<ImportRow | UnreadableRow>;

/** Options of `import`. */
export interface ImportOptions {
  /** A name for these rows, such as `formspree`: what `deleteImported` takes back, and part of each row's identity. At most 100 characters. */
  source: string;
  /** Reads and checks everything, and stores nothing. Default false. */
  dry_run?: boolean | undefined;
  /** Called with every row that can't be read, also with those that the list in the result has no place for. */
  onFailed?: ((failure: ImportFailure) => void) | undefined;
}

/** A row that could not be read. */
export interface ImportFailure {
  /** Its place among the rows; the first one is 0. */
  index: number;
  /** The line of the file, if the row came from one. */
  line?: number;
  /** The fault, and the field that it is in. */
  message: string;
}

/** The numbers of an import. */
export interface ImportResult {
  /** Rows that were stored; of a dry run, those that would be. */
  imported: number;
  /** Rows that are stored already, or came twice. */
  skipped: number;
  /** Rows that could not be read: the first 1,000 of them. */
  failed: ImportFailure[];
  /** The number of further such rows; left out if there are none. */
  more_failed?: number;
  /** Rows among the imported ones that are older than the form's `keep_for`, so the next sweep removes them; left out if there are none. */
  expiring?: number;
}

/** The result of `deleteImported`. */
export interface ImportDeleted {
  /** Submissions that were removed. */
  deleted: number;
}
