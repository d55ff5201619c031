import type { Core } from "../../core/core.ts";
import { toList } from "../../core/paging.ts";
import { type Page, type Row, remove } from "../../core/rows.ts";
import type { Position, Stored } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { matches } from "../../lib/etag.ts";
import { collects } from "../../model/digest.ts";
import type { HostFormPatch } from "../../model/form-input.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { FormDeleted, FormListQuery, HostForm } from "../../model/forms.ts";
import type { Caller } from "../../model/keys.ts";
import type { Restriction } from "../../model/restriction.ts";
import { imageRemovals } from "../files/form-images.ts";
import { discard } from "../files/store.ts";
import { sendDigestsNow } from "../jobs/digests.ts";
import { forgetWordsOf } from "../jobs/forget.ts";
import { loadTeam, planOf } from "../teams/service.ts";
import { formNote, tellHost, wakeHost } from "../webhooks/host-events.ts";
import { listedTeams } from "./access.ts";
import { changeForm } from "./change.ts";
import { checked } from "./checks.ts";
import { configured } from "./configure.ts";
import { withoutCounters } from "./counters.ts";
import { deletedWrite } from "./deleted.ts";
import { nameWrites } from "./names.ts";
import { assertConditions, assertPatterns } from "./patterns.ts";
import { limitWrites } from "./places.ts";
import { assertPlanAllows } from "./plan.ts";
import { withRestrictions } from "./restricted.ts";
import { daysKept, FOREVER_DAYS, leaveBehind } from "./retention-mark.ts";
import { assertSender } from "./sender.ts";
import type { SettingsAt } from "./settings.ts";
import { toForm, toForms, type Versioned } from "./view.ts";

/** The forms that the caller can reach, newest first. Throws `invalid_parameter`. */
export async function listForms(core: Core, caller: Caller, query: FormListQuery) {
  const { limit, cursor, team_id } = query;
  const teams = await listedTeams(core, caller, team_id);
  const scope = JSON.stringify(["forms", caller.id, team_id ?? null]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  const page = await pageOfForms(core, caller, teams, after, limit);
  return toList(await toForms(core, page.rows), page.next, (position) => core.cursors.issue(position, scope));
}

/** Options of a change to a form. */
export interface UpdateOptions {
  /** `If-Match`: the change is made only to a version that it names. */
  readonly ifMatch?: string | null;
  /** The path of the settings in the patch, for errors. */
  readonly at?: SettingsAt;
  /** The restriction of recipients that are new. */
  readonly restriction?: Restriction | undefined;
}

/** Changes the leaves that are sent. Throws `invalid_parameter`, `plan_restricted`, `version_mismatch`. */
export async function updateForm(
  core: Core,
  form: Stored<FormRecord>,
  patch: HostFormPatch,
  { ifMatch = null, at = "settings.", restriction }: UpdateOptions = {},
): Promise<Versioned<HostForm>> {
  await assertPatterns(patch.validation, form.value.team_id);
  await assertConditions(patch.settings?.routing?.rules, at, form.value.team_id);
  const team = await loadTeam(core, form.value.team_id);
  const plan = team && planOf(core, team.value);
  let collected = false;
  let told = (): void => {};
  const { row, changed } = await changeForm(core, form, async ({ id, value: before, version }) => {
    collected = collects(before.settings.digest);
    if (!matches(ifMatch, version)) throw new ApiError("version_mismatch");
    if (Object.keys(patch).length === 0 || !team || !plan) return null;
    const value = withRestrictions(before, await configured(core, before, patch, at, form.id), restriction);
    const also = await nameWrites(core, id, before, value, at);
    also.push(...(await limitWrites(core, id, before, value, at)));
    // After the values: a wrong value is an error on any plan. The host decides about senders, as it does about plans.
    assertPlanAllows(plan, patch, at);
    assertSender(core, team, before, value, patch, at);
    const found = await checked(core, { id, value }, before, team);
    told = found.told;
    also.push(...found.writes, ...tellHost(core, "form.updated", formNote(id, found.value)));
    return { value: found.value, also };
  });
  if (changed) wakeHost(core);
  const view = await toForm(core, row);
  if (changed) core.events.emit("form.updated", view);
  if (changed) told();
  if (changed && collected && !collects(row.value.settings.digest)) await sendDigestsNow(core, row.id);
  return { value: view, version: row.version };
}

/** Removes the form with its images; its submissions stay readable. Throws `version_mismatch`. */
export async function deleteForm(
  core: Core,
  form: Stored<FormRecord>,
  ifMatch: string | null = null,
): Promise<FormDeleted> {
  const { id } = form;
  let given: readonly string[] = [];
  await changeForm(core, form, async ({ value, version }) => {
    if (!matches(ifMatch, version)) throw new ApiError("version_mismatch");
    const also = await nameWrites(core, id, value, null, "");
    const images = await imageRemovals(core, id);
    also.push(...images.writes);
    given = images.ids;
    also.push(deletedWrite(core, id, value));
    also.push(...value.webhooks.map((webhook) => remove("webhook_states", webhook.id)));
    also.push(...withoutCounters(id, value.created_at, core.clock.now()));
    // The next sweep finds out which submission is the oldest, or that none is left.
    also.push(leaveBehind(id, daysKept(value) ?? FOREVER_DAYS, core.clock.now()));
    also.push(...tellHost(core, "form.deleted", formNote(id, value)));
    return { value: null, also };
  });
  wakeHost(core);
  await discard(core, given);
  await forgetWordsOf(core, id);
  core.events.emit("form.deleted", { id });
  return { id, deleted: true };
}

/** A page of the forms of these teams that the caller reaches, newest first; `teams` null = of every team. */
export function pageOfForms(
  core: Core,
  { form_ids }: Caller,
  teams: readonly string[] | null,
  after: Position | undefined,
  limit: number,
): Promise<Page<"forms">> {
  if (form_ids) return pageOfIds(core, form_ids, teams, after, limit);
  const partitions = teams
    ? teams.map((id) => ({ index: "team", equals: { team_id: id } }))
    : [{ index: "all", equals: {} }];
  return core.rows.page("forms", { partitions, after, order: "desc", limit });
}

/** The page of a key that is restricted to forms: at most 1,000 ids, read at once. */
async function pageOfIds(
  core: Core,
  ids: readonly string[],
  teams: readonly string[] | null,
  after: Position | undefined,
  limit: number,
): Promise<Page<"forms">> {
  const place = (row: Row<"forms">) => `${row.value.created_at} ${row.id}`;
  const found = [...(await core.rows.many("forms", ids)).values()]
    .filter(
      (row) => (!teams || teams.includes(row.value.team_id)) && (!after || place(row) < `${after.sort} ${after.id}`),
    )
    .sort((a, b) => (place(a) < place(b) ? 1 : -1));
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: last && found.length > limit ? { sort: last.value.created_at, id: last.id } : null };
}
