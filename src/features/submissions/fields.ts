import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import { inSlices } from "../../lib/turn.ts";
import type { FieldList } from "../../model/field-list.ts";
import type { Caller } from "../../model/keys.ts";
import { namesFor } from "../privacy/shown.ts";
import { largestOf } from "./largest.ts";

const MAX_SUBMISSIONS = 2_000;
const MAX_NAMES = 200;
/** Names that are counted at once: visitors make them up, and two thousand posts can hold a million. */
const MAX_COUNTED = 50_000;

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
  const pause = inSlices();
  let submissions_read = 0;
  const isRestricted = caller.sees !== undefined || caller.without !== undefined;
  const form = (isRestricted && (await core.rows.cached("forms", form_id))?.value) || null;
  const newest = core.rows.walk("submissions", {
    index: "form",
    equals: { form_id },
    order: "desc",
    most: MAX_SUBMISSIONS,
    through: readerOf(core, caller),
  });
  for await (const rows of newest) {
    for (const { value } of rows) {
      const names = isRestricted
        ? namesFor(form, value, caller.sees ?? "reader", caller)
        : value.fields.map(({ key }) => key);
      for (const name of new Set(names)) {
        const seen = found.get(name);
        if (seen) seen.count++;
        else found.set(name, { count: 1, last_seen: value.created_at });
      }
      if (found.size > MAX_COUNTED) await thin(found, pause);
      await pause();
    }
    submissions_read += rows.length;
  }
  const most = await largestOf(counted(found), MAX_NAMES);
  return { data: most.map(({ key, count, last_seen }) => ({ name: key, count, last_seen })), submissions_read };
}

function* counted(found: ReadonlyMap<string, { count: number; last_seen: string }>) {
  for (const [key, seen] of found) yield { key, ...seen };
}

/** Forgets half of the names, the rarest first. One that is used a lot comes again, and is counted from then on. */
async function thin(found: Map<string, { count: number }>, pause: ReturnType<typeof inSlices>): Promise<void> {
  for (let rarest = 1; found.size > MAX_COUNTED / 2; rarest++) {
    for (const [name, { count }] of found) {
      if (count <= rarest) found.delete(name);
      if (found.size <= MAX_COUNTED / 2) return;
      const waited = pause();
      if (waited) await waited;
    }
  }
}
