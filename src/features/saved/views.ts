import type { Core } from "../../core/core.ts";
import { put, type Row, remove } from "../../core/rows.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import { type Caller, personOf } from "../../model/keys.ts";
import type { SavedView, SavedViewCreate } from "../../model/saved.ts";

/** Views that a team keeps at most. */
const MAX_VIEWS = 200;

const toView = (me: string, { id, value }: Row<"saved_views">): SavedView => ({
  id,
  name: value.name,
  form_id: value.form_id,
  query: value.query,
  shared: value.shared,
  mine: value.user_id === me,
});

const viewsOf = (core: Core, team_id: string): Promise<Row<"saved_views">[]> =>
  core.rows.all("saved_views", { index: "team", equals: { team_id }, most: MAX_VIEWS * 2 });

/** A person's own views of their teams and the shared ones, by name. A person of some forms gets no view of another one. */
export async function listViews(core: Core, caller: Caller): Promise<SavedView[]> {
  const me = personOf(caller).id;
  const rows: Row<"saved_views">[] = [];
  for (const team_id of caller.team_ids ?? []) rows.push(...(await viewsOf(core, team_id)));
  return rows
    .filter(({ value }) => value.shared || value.user_id === me)
    .filter(({ value: { form_id } }) => !caller.form_ids || (form_id !== null && caller.form_ids.includes(form_id)))
    .map((row) => toView(me, row))
    .sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** Keeps a view. Throws `invalid_parameter` for one too many. */
export async function saveView(
  core: Core,
  caller: Caller,
  team_id: string,
  { name, form_id, query, shared }: SavedViewCreate,
): Promise<SavedView> {
  if ((await viewsOf(core, team_id)).length >= MAX_VIEWS)
    throw wrongParameter("name", `is one too many: a team keeps at most ${MAX_VIEWS} views`);
  const { id: user_id } = personOf(caller);
  const id = prefixedId("view");
  const value = { team_id, created_at: iso(core.clock.now()), name, form_id, query, shared, user_id };
  await core.commitNow([put("saved_views", id, value, null)]);
  return toView(user_id, { id, value, version: 1 });
}

/** Removes a view of the person's own; who may do everything, any of their teams. Throws `not_found`. */
export async function deleteView(core: Core, caller: Caller, id: string): Promise<{ id: string }> {
  const row = await core.rows.get("saved_views", id);
  const isReached = row && (!caller.team_ids || caller.team_ids.includes(row.value.team_id));
  if (!isReached || (row.value.user_id !== personOf(caller).id && caller.scopes !== "all"))
    throw new ApiError("not_found", { message: "There is no such view of yours." });
  await core.commitNow([remove("saved_views", id)]);
  return { id };
}
