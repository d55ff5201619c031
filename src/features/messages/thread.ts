import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";

/** The most messages of a conversation that are read. */
const MOST = 500;
/** Message-IDs in one `References`: the first one, and the latest. Longer ones are cut by mail servers. */
const MOST_REFERENCES = 40;

/** The name under which a Message-ID is looked up. */
export const messageKey = (messageId: string): string =>
  createHash("sha256").update(messageId.toLowerCase()).digest("hex").slice(0, 40);

/** The Message-ID of a mail of ours, without angle brackets. */
export const ownMessageId = (core: Core, id: string): string => `${id}@${new URL(core.options.baseUrl).hostname}`;

/** The messages under a submission, oldest first. */
export const threadOf = (core: Core, submission_id: string): Promise<Row<"messages">[]> =>
  core.rows.all("messages", { index: "submission", equals: { submission_id }, most: MOST });

/** The latest messages under a submission, oldest first. */
export const latestOf = async (core: Core, submission_id: string, most: number): Promise<Row<"messages">[]> =>
  (await core.rows.all("messages", { index: "submission", equals: { submission_id }, order: "desc", most })).reverse();

/** The Message-IDs of a conversation up to now, oldest first. */
export function referencesOf(root: string | null, thread: readonly Row<"messages">[]): string[] {
  const ids = thread.flatMap(({ value }) => (value.automatic ? [] : (value.message_id ?? [])));
  const all = root === null ? ids : [root, ...ids];
  return all.length <= MOST_REFERENCES ? all : [all[0] as string, ...all.slice(1 - MOST_REFERENCES)];
}
