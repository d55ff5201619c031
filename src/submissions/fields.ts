import type { Core } from "../core.ts";
import type { Position, Stored } from "../drivers/storage/types.ts";
import { reachForm } from "../forms/access.ts";
import type { Caller } from "../keys/schema.ts";
import type { FieldList, SubmissionRecord } from "./schema.ts";

const MAX_SUBMISSIONS = 2_000;
const MAX_NAMES = 200;
/** A submission may weigh 1 MB, so a page is as long as the ones before it let expect to be of about so many characters. */
const PAGE_CHARACTERS = 1_000_000;
const FIRST_PAGE = 20;
const MAX_PAGE = 500;

/** The field names of the form's newest 2,000 submissions, most used first, then by name. Throws what `reachForm` throws. */
export async function listFields(core: Core, caller: Caller, formId: string): Promise<FieldList> {
  await reachForm(core, caller, formId);
  const found = new Map<string, { count: number; last_seen: string }>();
  let submissions_read = 0;
  let characters = 0;
  let limit = FIRST_PAGE;
  for (let after: Position | undefined; submissions_read < MAX_SUBMISSIONS; ) {
    const rows = (await core.storage.page("submissions", {
      index: "form",
      equals: { form_id: formId },
      after,
      order: "desc",
      limit,
    })) as unknown as Stored<SubmissionRecord>[];
    for (const { value } of rows) {
      for (const field of value.fields) characters += field.key.length + field.value.length;
      for (const name of new Set(value.fields.map(({ key }) => key))) {
        const seen = found.get(name);
        if (seen) seen.count++;
        else found.set(name, { count: 1, last_seen: value.created_at });
      }
    }
    submissions_read += rows.length;
    const last = rows.at(-1);
    if (rows.length < limit || !last) break;
    const affordable = Math.ceil((PAGE_CHARACTERS * submissions_read) / (characters + 1));
    limit = Math.min(affordable, MAX_PAGE, MAX_SUBMISSIONS - submissions_read);
    after = { sort: last.value.created_at, id: last.id };
  }
  const data = Array.from(found, ([name, seen]) => ({ name, ...seen }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES);
  return { data, submissions_read };
}
