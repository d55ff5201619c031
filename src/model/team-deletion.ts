import { block, dictionary, flag, list, moment, nullable, number, text, time } from "../lib/leaves.ts";
import type { MarkId } from "./marks.ts";

/** What has been removed of a team. */
export interface Removed {
  /** Forms. */
  forms: number;
  /** Submissions, those of deleted forms and those in the trash among them. */
  submissions: number;
  /** Submissions that nobody had confirmed. */
  pending: number;
  /** Visitors' files. */
  files: number;
  /** Images of forms. */
  images: number;
  /** Emails and webhooks. */
  deliveries: number;
  /** Messages that were left without a submission. */
  messages: number;
  /** Half-filled forms. */
  drafts: number;
  /** API keys. */
  keys: number;
  /** Mail servers. */
  email_servers: number;
  /** Addresses that got no mail. */
  suppressions: number;
  /** Saved views and replies. */
  saved: number;
  /** Entries of the audit. */
  audit: number;
}
export type RemovedKind = keyof Removed;

/** Every kind, in the order of a receipt. */
export const removedKinds = Object.keys({
  forms: true,
  submissions: true,
  pending: true,
  files: true,
  images: true,
  deliveries: true,
  messages: true,
  drafts: true,
  keys: true,
  email_servers: true,
  suppressions: true,
  saved: true,
  audit: true,
} satisfies Record<RemovedKind, true>) as RemovedKind[];

/** The state of a team's deletion. */
export interface TeamDeletion {
  /** What has been removed so far. */
  removed: Removed;
  /** Rows that are still to be removed, without deliveries; 0 once it is done. Counted once in a process, then from what was removed. */
  left: number;
  /** True once nothing of the team is left. */
  done: boolean;
}

/** The note of a team's deletion, which the sweep carries out; once it is done, the receipt. */
export interface TeamDeletionRecord {
  team_id: string;
  started_at: string;
  done_at: string | null;
  /** Deliveries that were created before this time have been looked through; null before the search has begun. */
  searched_until: string | null;
  removed: Record<string, number>;
  /** Rows that have been removed of the collections whose rows are counted as left. */
  rows: number;
  /** Forms of the team, deleted ones with submissions among them: what else names them is found at the end. */
  forms: readonly string[];
  /** True once the last look has found nothing; only then may another team have the id. */
  settled: boolean;
  /** When the sweep looks again; for a receipt, its end. */
  expires_at: string;
}

export const teamDeletionLeaf = block<TeamDeletionRecord>({
  team_id: text(),
  started_at: moment(),
  done_at: nullable(time()),
  searched_until: nullable(time()),
  removed: dictionary(number(0)),
  rows: number(0),
  forms: list(text()),
  settled: flag(false),
  expires_at: moment(),
});

export const teamDeletionMark = (team_id: string): MarkId => `team-deletion:${team_id}`;
