import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { type Row, remove } from "../../core/rows.ts";
import type { Caller } from "../../model/keys.ts";
import { reachedTeams } from "./deliveries.ts";

type Mentions = (text: string | null | undefined) => boolean;

/** Every draft that mentions a person, over all forms that the caller reaches, page by page. */
export async function* draftsOf(
  core: Core,
  caller: Caller,
  mentions: Mentions,
  team_id?: string | null,
): AsyncGenerator<Row<"drafts">[]> {
  const through = readerOf(core, caller);
  const reached = await reachedTeams(core, caller, team_id);
  const runs = caller.form_ids
    ? caller.form_ids.map((form_id) => ({ index: "form", equals: { form_id } }))
    : reached.map((team_id) => ({ index: "team", equals: { team_id } }));
  const teams = new Set(reached);
  for (const run of runs) {
    for await (const rows of core.rows.walk("drafts", { ...run, through })) {
      const theirs = rows.filter(
        ({ value }) =>
          teams.has(value.team_id) &&
          Object.entries(value.fields)
            .flat(2)
            .some((one) => mentions(String(one))),
      );
      if (theirs.length > 0) yield theirs;
    }
  }
}

/** Removes every draft that mentions a person, over all forms that the caller reaches. */
export async function eraseDrafts(
  core: Core,
  caller: Caller,
  mentions: Mentions,
  team_id?: string | null,
): Promise<void> {
  for await (const rows of draftsOf(core, caller, mentions, team_id)) {
    await core.commitNow(rows.map(({ id }) => remove("drafts", id)));
  }
}
