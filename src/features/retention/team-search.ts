import { pagesOf } from "../../core/pages.ts";
import { remove } from "../../core/rows.ts";
import { abandoned } from "../files/store.ts";
import { removeFiles } from "../submissions/removal.ts";
import { BATCH } from "./run.ts";
import { withoutMoved } from "./team-stages.ts";
import type { Deletion } from "./team-step.ts";

/**
 * Deliveries of forms that were deleted before, notices to the owner, and content that was kept for deliveries alone: no index leads
 * to them, so all are looked through, once nothing else is left. The mark remembers how far this got.
 */
export async function searchDeliveries({ core, run, team_id, step, rest, note }: Deletion): Promise<void> {
  const from = note().searched_until;
  const where = from === null ? [] : [{ column: "created_at", op: "gte", value: from } as const];
  for await (const rows of core.rows.walk("jobs", { index: "all", where, limit: BATCH })) {
    await run.alive();
    await rest();
    const named = rows.filter(({ value }) => value.team_id === team_id);
    const own = named.length > 0 ? await withoutMoved({ core, run, team_id }, named) : [];
    const last = rows.at(-1);
    if (own.length === 0 || !last) continue;
    const states = own.flatMap(({ value }) =>
      value.kind === "webhook" ? [remove("webhook_states", value.target)] : [],
    );
    await step(
      [
        ...own.map(({ id }) => remove("jobs", id)),
        ...new Map(states.map((one) => [JSON.stringify(one), one])).values(),
      ],
      { deliveries: own.length },
      { searched_until: last.value.created_at },
    );
  }
  const removed = new Set(note().forms);
  for await (const rows of core.rows.walk("transient_submissions", { index: "all", limit: BATCH })) {
    await run.alive();
    await rest();
    const forms = await core.rows.many("forms", [...new Set(rows.map(({ value }) => value.form_id))]);
    for (const row of rows) {
      const { form_id } = row.value;
      // It stays as it is while its form moves, so the form says whose it is, for as long as there is one.
      const team = removed.has(form_id) ? team_id : (forms.get(form_id)?.value.team_id ?? row.value.team_id);
      if (team !== team_id) continue;
      const files = await removeFiles(core, row.value);
      await step([remove("transient_submissions", row.id), ...files], { files: row.value.attachments.length });
    }
  }
}

/** Small records that name the team or one of its forms: quotas, taken values, idempotency keys, mails of the hour. */
export async function searchMarks({ core, run, team_id, step, rest, note }: Deletion, own: string): Promise<void> {
  const names = new Set<unknown>([team_id, ...note().forms]);
  for await (const marks of pagesOf(core.storage, "marks", { index: "expiry", equals: {}, order: "asc" })) {
    await run.alive();
    await rest();
    const found = marks.filter(
      ({ id, value }) =>
        id !== own &&
        (names.has(value["team_id"]) || names.has(value["form_id"]) || id.split(":").some((part) => names.has(part))),
    );
    if (found.length > 0)
      await step(
        // The mark is all that leads to the bytes of a file that no post has claimed, so it stays for the next sweep, without a name.
        found.map((mark) => abandoned(core, mark) ?? remove("marks", mark.id)),
        {},
      );
  }
}
