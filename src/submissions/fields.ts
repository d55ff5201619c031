import type { Core } from "../core/core.ts";
import { readerOf } from "../core/reads.ts";
import type { FieldList } from "../model/field-list.ts";
import type { Caller } from "../model/keys.ts";
import { namesFor } from "../privacy/shown.ts";
import { takeScan } from "./scans.ts";

const MAX_SUBMISSIONS = 2_000;
const MAX_NAMES = 200;
/** The field names of the form's newest 2,000 submissions, most used first, then by name. Throws `scan_concurrency`. */
export async function listFields(core: Core, caller: Caller, formId: string): Promise<FieldList> {
  const release = takeScan(core, caller, "long");
  try {
    return await namesOf(core, caller, formId);
  } finally {
    release();
  }
}

async function namesOf(core: Core, caller: Caller, form_id: string): Promise<FieldList> {
  const found = new Map<string, { count: number; last_seen: string }>();
  let submissions_read = 0;
  const form = (caller.sees && (await core.rows.cached("forms", form_id))?.value) ?? null;
  const newest = core.rows.walk("submissions", {
    index: "form",
    equals: { form_id },
    order: "desc",
    most: MAX_SUBMISSIONS,
    through: readerOf(core, caller),
  });
  for await (const rows of newest) {
    for (const { value } of rows) {
      const names = caller.sees ? namesFor(form, value, caller.sees) : value.fields.map(({ key }) => key);
      for (const name of new Set(names)) {
        const seen = found.get(name);
        if (seen) seen.count++;
        else found.set(name, { count: 1, last_seen: value.created_at });
      }
    }
    submissions_read += rows.length;
  }
  const data = Array.from(found, ([name, seen]) => ({ name, ...seen }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES);
  return { data, submissions_read };
}
