import type { Consent } from "./consent.ts";
import type { SubmissionField } from "./submission-field.ts";

/** A spreadsheet has more columns than a form has fields. */
export const MAX_COLUMNS = 1_000;

/** A person as a row names one. */
export interface ImportedPerson {
  /** Your id of the person. */
  id: string;
  /** The name to show. */
  name: string;
}

/** How far the work on a submission is. */
export interface ImportedWork {
  /** Default `open`. */
  state?: "open" | "done" | undefined;
  /** The person who works on it. */
  assignee?: ImportedPerson | null | undefined;
  /** At most 20. */
  labels?: string[] | undefined;
  /** The time until which it is out of the lists of open ones. */
  snoozed_until?: string | null | undefined;
}

/** A note on a submission, or what somebody did with it. */
export interface ImportedNote {
  /** Who wrote or did it. */
  author: ImportedPerson;
  /** The text of a note; otherwise what the act was about. */
  text: string;
  /** The time of writing. */
  created_at: string;
  /** `note`, or the name of what was done, such as `done`. Default `note`. */
  what?: string | undefined;
}

/** A file's bytes, or a function that returns them: a file is read only where its row is stored. */
export type ImportedContent = Uint8Array | (() => AsyncIterable<Uint8Array>);

/** A file of a submission. */
export interface ImportedFile {
  /** The name of the form's field. */
  key: string;
  /** The sender's name for it. */
  name: string;
  /** The sender's media type for it; the bytes decide. */
  mime_type?: string | undefined;
  /** The bytes. */
  content: ImportedContent;
}

/** One mail of the conversation under a submission. */
export interface ImportedMessage {
  /** `out`: an answer to the sender; `in`: a mail that came back. */
  direction: "out" | "in";
  /** Who wrote an answer. */
  author?: ImportedPerson | null | undefined;
  /** The sender's address. */
  from: string;
  /** The addresses in To. */
  to: string[];
  /** The addresses in Cc. */
  cc?: string[] | undefined;
  /** The subject. */
  subject: string;
  /** Plain text. */
  text: string;
  /** The whole text of a mail that came in, where `text` leaves a part of it out. */
  whole?: string | undefined;
  /** Its files. One with the content of a file of the submission is that file. */
  attachments?: Omit<ImportedFile, "key">[] | undefined;
  /** As it was at the source. An answer that had not been sent is `skipped` here. */
  status: "queued" | "sent" | "failed" | "skipped" | "received";
  /** `SUCCESS`, `RECEIVED`, or why the mail did not go out. */
  code: string;
  /** The Message-ID without angle brackets: answers to it come to this submission. */
  message_id?: string | null | undefined;
  /** The Message-IDs that it answers, oldest first. */
  references?: string[] | undefined;
  /** True for a mail that a program wrote. */
  automatic?: boolean | undefined;
  /** The time when it was written, or received. */
  created_at: string;
}

/** The times of a submission in the trash. */
export interface ImportedTrash {
  /** The time at which it was deleted. */
  trashed_at: string;
  /** The time at which it is removed. */
  expires_at: string;
}

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
  /** The ids of the people who have read it. */
  read_by?: string[] | null | undefined;
  /** How far the work on it is. */
  work?: ImportedWork | null | undefined;
  /** The notes on it, and what was done with it, oldest first. */
  notes?: ImportedNote[] | null | undefined;
  /** Answers to it and what came back, oldest first. */
  messages?: ImportedMessage[] | null | undefined;
  /** Its files, within the limits of a post. */
  files?: ImportedFile[] | null | undefined;
  /** The sender's confirmation, of a form that asks for one. */
  consent?: Consent | null | undefined;
  /** Its times in the trash: it is stored there. */
  trash?: ImportedTrash | null | undefined;
  /** True for one that waits for its sender's confirmation. It is reported and not stored, for nobody has confirmed it. */
  pending?: boolean | null | undefined;
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
