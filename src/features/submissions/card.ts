import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import type { Row } from "../../core/rows.ts";
import type { Condition } from "../../drivers/storage/types.ts";
import type { Caller } from "../../model/keys.ts";
import type { Redaction } from "../../model/redaction.ts";
import { senderOf } from "../../model/sender.ts";
import type { HostSubmission } from "../../model/submissions.ts";
import { shownTo } from "../privacy/shown.ts";
import { toHostSubmissions } from "./view.ts";

/** Other submissions that a card names. */
const MOST_SHOWN = 5;
/** Their conversations are looked into for the last answer, each as far as this from its end. */
const MOST_MESSAGES = 5;
/** Submissions that are counted, since the page waits: a machine may have sent a million. */
const MOST_COUNTED = 1_000;

/** The sender of a submission, as far as the team's other submissions show. */
export interface PersonCard {
  /** The number of submissions from the address, this one included. */
  readonly count: number;
  /** False where there are more than the thousand that were counted. */
  readonly exact: boolean;
  readonly first_at: string;
  /** The latest others. */
  readonly others: readonly HostSubmission[];
  /** The last answer to this submission or to one of the others. */
  readonly answered: { readonly at: string; readonly by: string } | null;
}

/**
 * The card of a submission's sender, over the forms of its team that the caller reaches; null without an address that the caller
 * may see. It seeks in an index, and its time does not depend on the number of other senders.
 */
export async function personCard(
  core: Core,
  caller: Caller,
  row: Row<"submissions">,
  redaction: Redaction | null,
): Promise<PersonCard | null> {
  const { team_id, sender } = row.value;
  if (!sender) return null;
  const [seen] = await shownTo(core, caller, [row]);
  // A card by an address that is kept back would tell who has the same one.
  if (!seen || senderOf((redaction?.record(seen.value) ?? seen.value).fields) !== sender) return null;
  const where: Condition[] = caller.form_ids ? [{ column: "form_id", op: "in", value: caller.form_ids }] : [];
  const run = { index: "team_sender", equals: { team_id, sender }, where };
  const store = readerOf(core, caller);
  const [all, latest] = await Promise.all([
    store.page("submissions", { ...run, order: "asc", limit: MOST_COUNTED + 1, columnsOnly: true }),
    store.page("submissions", { ...run, order: "desc", limit: MOST_SHOWN + 1 }),
  ]);
  const others = core.rows.readable("submissions", latest.filter(({ id }) => id !== row.id).slice(0, MOST_SHOWN));
  return {
    count: Math.min(all.length, MOST_COUNTED),
    exact: all.length <= MOST_COUNTED,
    first_at: String(all[0]?.value["created_at"] ?? row.value.created_at),
    others: await toHostSubmissions(core, await shownTo(core, caller, others)),
    answered: await lastAnswer(core, [row.id, ...others.map(({ id }) => id)]),
  };
}

async function lastAnswer(core: Core, ids: readonly string[]): Promise<PersonCard["answered"]> {
  const threads = await Promise.all(
    ids.map((submission_id) =>
      core.rows.page("messages", {
        partitions: [{ index: "submission", equals: { submission_id } }],
        order: "desc",
        limit: MOST_MESSAGES,
      }),
    ),
  );
  const answers = threads.flatMap(({ rows }) => rows).filter(({ value }) => value.direction === "out");
  const [last] = answers.sort((a, b) => (a.value.created_at < b.value.created_at ? 1 : -1));
  return last ? { at: last.value.created_at, by: last.value.author?.name ?? "" } : null;
}
