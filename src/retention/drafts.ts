import type { Core } from "../core/core.ts";
import { readerOf } from "../core/reads.ts";
import { remove } from "../core/rows.ts";
import type { Caller } from "../model/keys.ts";
import { reachedTeams } from "./deliveries.ts";

/** Removes every draft that mentions a person, over all forms that the caller reaches. */
export async function eraseDrafts(
  core: Core,
  caller: Caller,
  mentions: (text: string | null | undefined) => boolean,
): Promise<void> {
  const through = readerOf(core, caller);
  const runs = caller.form_ids
    ? caller.form_ids.map((form_id) => ({ index: "form", equals: { form_id } }))
    : (await reachedTeams(core, caller)).map((team_id) => ({ index: "team", equals: { team_id } }));
  const teams = new Set(await reachedTeams(core, caller));
  for (const run of runs) {
    for await (const rows of core.rows.walk("drafts", { ...run, through })) {
      const theirs = rows.filter(
        ({ value }) =>
          teams.has(value.team_id) &&
          Object.entries(value.fields)
            .flat(2)
            .some((one) => mentions(String(one))),
      );
      if (theirs.length > 0) await core.storage.commit(theirs.map(({ id }) => remove("drafts", id)));
    }
  }
}
