import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import type { Row } from "../../core/rows.ts";
import type { Caller } from "../../model/keys.ts";
import type { Message } from "../../model/messages.ts";
import { messagesFor, toMessages } from "../messages/shown.ts";
import { messageRemoval } from "../submissions/thread-removal.ts";
import { suppressionRemovals } from "../suppressions/service.ts";
import { reachedTeams } from "./deliveries.ts";

type Mentions = (text: string | null | undefined) => boolean;

/** The messages that name a person, over all forms that a caller reaches. */
async function* namingOf(
  core: Core,
  caller: Caller,
  mentions: Mentions,
  team_id: string | null | undefined,
): AsyncGenerator<Row<"messages">[]> {
  const through = readerOf(core, caller);
  for (const team of await reachedTeams(core, caller, team_id)) {
    for await (const rows of core.rows.walk("messages", { index: "team", equals: { team_id: team }, through })) {
      const theirs = rows.filter(
        ({ value: { form_id, from, to, cc, subject, text, whole } }) =>
          (!caller.form_ids || caller.form_ids.includes(form_id)) &&
          ([from, ...to, ...cc].some(mentions) || mentions(subject) || mentions(text) || mentions(whole)),
      );
      if (theirs.length > 0) yield theirs;
    }
  }
}

/** The messages to and from a person, as the caller may see them. */
export async function* messagesOf(
  core: Core,
  caller: Caller,
  mentions: Mentions,
  team_id: string | null | undefined,
): AsyncGenerator<Message> {
  for await (const rows of namingOf(core, caller, mentions, team_id)) {
    for (const row of rows) {
      const { submission_id } = row.value;
      const submission =
        (await core.rows.get("submissions", submission_id)) ??
        (await core.rows.get("trashed_submissions", submission_id));
      if (!submission) continue;
      const form = await core.rows.get("forms", row.value.form_id);
      yield* await messagesFor(core, caller, form?.value ?? null, submission, await toMessages(core, [row]));
    }
  }
}

/** Removes the messages that name a person, and takes the address off the lists of suppressed ones. */
export async function eraseMessages(
  core: Core,
  caller: Caller,
  email: string,
  mentions: Mentions,
  team_id: string | null | undefined,
): Promise<void> {
  for await (const rows of namingOf(core, caller, mentions, team_id)) {
    for (const row of rows) await core.commitNow(await messageRemoval(core, row));
  }
  if (!caller.form_ids) await core.commitNow(suppressionRemovals(await reachedTeams(core, caller, team_id), email));
}
