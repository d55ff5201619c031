import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import type { Row } from "../../core/rows.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import type { SimilarSubmission } from "../../model/data-subjects.ts";
import type { Caller } from "../../model/keys.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { openSealed } from "../privacy/files.ts";
import { hashFinder } from "../privacy/mention.ts";
import { openedRows } from "../privacy/shown.ts";
import { reachedTeams } from "./deliveries.ts";
import { mentionOf, nameMentionOf, similarNameTo, similarTo } from "./mentions.ts";

/** Near misses that an answer lists. */
const MAX_SIMILAR = 100;

/**
 * The submissions with an address anywhere: in a field, as the reply address, in the page's URL, in the name of a
 * file. Rows are read whole, because a
 * search in fields alone would miss the rest; encrypted values are decrypted, and hashed ones compared by hash. Those that may
 * contain it in another spelling are added to `similar`. Throws `internal_error` at the end if one can't be read.
 */
export async function* holding(
  core: Core,
  caller: Caller,
  email: string,
  team_id?: string | null,
  similar?: SimilarSubmission[],
): AsyncGenerator<Row<"submissions">[]> {
  const isIn = mentionOf(email);
  const isNamed = nameMentionOf(email);
  const isSimilar = similarTo(email);
  const isSimilarName = similarNameTo(email);
  const mentions = (record: SubmissionRecord, names: readonly string[]): boolean =>
    textsOf(record).some(isIn) || names.some(isNamed);
  const isNear = (record: SubmissionRecord, names: readonly string[]): boolean =>
    textsOf(record).some(isSimilar) || names.some(isSimilarName);
  const keepsHash = hashFinder(core, [...new Set([email, email.toLowerCase()])]);
  const through = readerOf(core, caller);
  const teams = await reachedTeams(core, caller, team_id);
  const runs = caller.form_ids
    ? caller.form_ids.map((form_id) => ({ index: "form", equals: { form_id } }))
    : teams.map((team_id) => ({ index: "team", equals: { team_id } }));
  const stored = (["submissions", "pending_submissions", "trashed_submissions"] as const).flatMap((collection) =>
    runs.map((run) => ({ ...run, collection })),
  );
  let fault: Error | null = null;
  const unreadable = ({ value }: Stored, error: Error): void => {
    if (teams.includes(String(value["team_id"]))) fault ??= error;
  };
  const reached = ({ team_id, form_id }: SubmissionRecord) =>
    teams.includes(team_id) && (caller.form_ids?.includes(form_id) ?? true);
  for (const { collection, index, equals } of [
    ...stored,
    { collection: "transient_submissions" as const, index: "all", equals: {} },
  ]) {
    for await (const rows of core.rows.walk(collection, { index, equals, through, unreadable })) {
      const theirs = rows.filter(({ value }) => reached(value));
      const hashed = new Set(theirs.filter(({ value }) => keepsHash(value)).map(({ id }) => id));
      const clear = await openedRows(core, theirs);
      const found: Row<"submissions">[] = [];
      for (const row of clear) {
        const names = await namesOf(core, row.value);
        if (hashed.has(row.id) || mentions(row.value, names)) found.push(row);
        else if (similar && similar.length < MAX_SIMILAR && isNear(row.value, names)) {
          similar.push({ form_id: row.value.form_id, submission_id: row.id });
        }
      }
      yield found;
    }
  }
  // Only now, so that the rest is found or erased; but nobody must be told that no more data exists.
  if (fault) throw fault;
}

/** Every text of a submission but the names of its files. */
const textsOf = ({ fields, reply_to, subject, referer, user_agent }: SubmissionRecord): (string | null)[] => [
  ...fields.flatMap(({ key, value }) => [key, value]),
  reply_to,
  subject,
  referer,
  user_agent,
];

/** The names of a submission's files, those of encrypted ones too. */
async function namesOf(core: Core, { form_id, attachments }: SubmissionRecord): Promise<string[]> {
  const names: string[] = [];
  for (const { file_id, name, sealed } of attachments) {
    names.push(name);
    const inClear = sealed && (await openSealed(core, { form_id, sealed }, file_id))?.name;
    if (inClear) names.push(inClear);
  }
  return names;
}
