import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { Stored } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import type { Trouble } from "../../model/deliveries.ts";

/** Far more than one submission has: one for each webhook and recipient of its form. */
const MAX_JOBS = 1_000;

/** All deliveries of a submission, to webhooks and by email. */
export async function jobsOf(core: Core, submission_id: string): Promise<Row<"jobs">[]> {
  const partitions = [{ index: "submission", equals: { submission_id } }];
  return (await core.rows.page("jobs", { partitions, order: "asc", limit: MAX_JOBS })).rows;
}

/** A submission in a list. */
interface Listed {
  readonly id: string;
  readonly form_id: string;
  readonly created_at: string;
}

/** Deliveries of a form that are read at once: those of a usual page of submissions. */
const AT_ONCE = 400;
/** Submissions whose deliveries are read at the same time, so that connections are left for posts. */
const TOGETHER = 4;
/** A delivery may be planned by another clock than its submission's. */
const SKEW_MS = 60_000;

/**
 * The submissions of a list with a delivery in trouble, and the worse of its states. Reads a few columns of the deliveries of
 * the list's time at once, and one by one those of submissions that lie further back.
 */
export async function troublesOf(core: Core, listed: readonly Listed[]): Promise<Map<string, Trouble>> {
  const forms = new Map<string, Listed[]>();
  for (const one of listed) forms.set(one.form_id, [...(forms.get(one.form_id) ?? []), one]);
  const troubles = new Map<string, Trouble>();
  const note = (rows: readonly Stored[]): void => {
    for (const { value } of rows) {
      const [id, status] = [String(value["submission_id"]), value["status"]];
      if (status === "failed" || (status === "retrying" && !troubles.has(id))) troubles.set(id, status);
    }
  };
  await Promise.all(
    Array.from(forms, async ([form_id, own]) => {
      const newest = Math.max(...own.map(({ created_at }) => Date.parse(created_at)));
      const rows = await core.storage.page("jobs", {
        index: "form",
        equals: { form_id },
        after: { sort: iso(newest + SKEW_MS), id: "" },
        order: "desc",
        limit: AT_ONCE,
        columnsOnly: true,
      });
      note(rows);
      const last = rows.length < AT_ONCE ? undefined : rows.at(-1)?.value["created_at"];
      if (last === undefined) return;
      const seen = Date.parse(String(last)) + SKEW_MS;
      const older = own.filter(({ created_at }) => Date.parse(created_at) <= seen);
      for (let from = 0; from < older.length; from += TOGETHER)
        for (const jobs of await Promise.all(older.slice(from, from + TOGETHER).map(({ id }) => statesOf(core, id))))
          note(jobs);
    }),
  );
  const known = new Set(listed.map(({ id }) => id));
  for (const id of troubles.keys()) if (!known.has(id)) troubles.delete(id);
  return troubles;
}

/** A submission has few deliveries: to read all is one statement, and a condition would be looked at window by window. */
const statesOf = (core: Core, submission_id: string): Promise<Stored[]> =>
  core.storage.page("jobs", {
    index: "submission",
    equals: { submission_id },
    order: "asc",
    limit: MAX_JOBS,
    columnsOnly: true,
  });
