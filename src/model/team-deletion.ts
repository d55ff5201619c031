import { block, dictionary, flag, list, moment, nullable, number, text, time } from "../lib/leaves.ts";
import type { MarkId } from "./marks.ts";

/** What the deletion of a team removes, as its receipt counts it. */
export const removedKinds = [
  "forms",
  "submissions",
  "pending",
  "files",
  "images",
  "deliveries",
  "messages",
  "drafts",
  "keys",
  "email_servers",
  "suppressions",
  "saved",
  "audit",
] as const;
export type RemovedKind = (typeof removedKinds)[number];

/** What has been removed so far, by its kind. `submissions` has those in the trash too, `pending` those that nobody confirmed. */
export type Removed = Record<RemovedKind, number>;

/** The state of a team's deletion. */
export interface TeamDeletion {
  /** What has been removed so far. */
  removed: Removed;
  /** Rows that are still to be removed, without deliveries; 0 once it is done. */
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
  forms: list(text()),
  settled: flag(false),
  expires_at: moment(),
});

export const teamDeletionMark = (team_id: string): MarkId => `team-deletion:${team_id}`;
