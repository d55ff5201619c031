import type { Core } from "../../core/core.ts";
import { joinTransaction } from "../../core/host-transaction.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import { warnOnce } from "../../core/set-up.ts";
import type { Stored, Transaction, Write } from "../../drivers/storage/types.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { formId } from "../../lib/id.ts";
import type { HostFormCreate, HostFormPatch } from "../../model/form-input.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { HostForm } from "../../model/forms.ts";
import type { Caller } from "../../model/keys.ts";
import { restrictionOf } from "../../model/restriction.ts";
import type { TeamRecord } from "../../model/teams.ts";
import type { WebhookCreate } from "../../model/webhooks.ts";
import { assertUsable, DEFAULT_TEAM, loadTeam, planOf } from "../teams/service.ts";
import { formNote, tellHost, wakeHost } from "../webhooks/host-events.ts";
import { checked } from "./checks.ts";
import { configured } from "./configure.ts";
import { addTo, countedCounter } from "./counters.ts";
import { defaultForm } from "./defaults.ts";
import { formIdByKey, nameWrites } from "./names.ts";
import { assertConditions, assertPatterns } from "./patterns.ts";
import { assertRoom, commitWithin, teamWithin } from "./place-within.ts";
import { assertPlanAllows } from "./plan.ts";
import { withRestrictions } from "./restricted.ts";
import { assertSender } from "./sender.ts";
import { toForm, type Versioned } from "./view.ts";
import { assertWebhooks, newWebhook } from "./webhooks.ts";

const TRIES = 20;

/**
 * Creates a form in the caller's team, with its first webhooks in the same commit. With `anySender`, a sender's address that
 * mail can't be sent from is kept as the reply address. Throws `invalid_parameter`, `plan_restricted`, `team_inactive`,
 * `owner_unverified`, and a `TypeError` for a `tx` that the store can't join.
 */
export async function createForm(
  core: Core,
  caller: Caller,
  input: HostFormCreate,
  firstWebhooks: readonly WebhookCreate[] = [],
  { anySender = false, tx }: { anySender?: boolean; tx?: Transaction | undefined } = {},
): Promise<Versioned<HostForm>> {
  const within = tx === undefined ? null : { tx, commit: joinTransaction(core, tx, "forms.create").commit };
  const also: Write[] = [];
  const load = (id: string) => (within ? teamWithin(core, within, id, also) : loadTeam(core, id));
  const { team_id: wanted, ...patch } = input;
  await assertPatterns(patch.validation, caller.team_ids?.join());
  await assertConditions(patch.settings?.routing?.rules, "settings.", caller.team_ids?.join());
  const teamId = teamOf(caller, wanted);
  const team = usable(await load(teamId), teamId);
  const plan = planOf(core, team.value);
  warnOfDefaultPlan(core, team);

  const created_at = creationTime(core);
  const restriction = restrictionOf(caller);
  const webhooks = await Promise.all(
    firstWebhooks.map(async (webhook) => (await newWebhook(core, webhook, restriction)).webhook),
  );
  const plain = { ...defaultForm(teamId, team.value.owner.email, plan, created_at), webhooks };
  const usual = await configured(core, plain, team.value.defaults as HostFormPatch, "settings.");
  const blank = withRestrictions(plain, usual, restriction);
  const value = withRestrictions(blank, await configured(core, blank, patch, "settings."), restriction);
  const { id, found } = await retrying(async () => {
    const made = formId();
    const names = await nameWrites(core, made, null, value, "settings.");
    // After the values: a wrong value is an error on any plan.
    assertPlanAllows(plan, patch, "settings.");
    // The team's own domains may have changed since its defaults were set.
    assertSender(core, team, plain, blank, team.value.defaults as HostFormPatch, "settings.");
    if (!anySender) assertSender(core, team, blank, value, patch, "settings.");
    if (webhooks.length > 0) assertWebhooks(plan, webhooks.length);
    // If the number of forms is limited, the team's row is written too, so two simultaneous creates are counted one after the
    // other.
    const counted = plan.forms === null ? null : usable(await load(teamId), teamId);
    const found = await checked(core, { id: made, value }, null, team);
    const writes: Write[] = [
      put("forms", made, found.value, null),
      ...found.writes,
      ...names,
      addTo(countedCounter(made), 1, created_at),
      ...tellHost(core, "form.created", formNote(made, found.value)),
    ];
    if (counted && !within) {
      await assertRoom(core, teamId, plan.forms);
      writes.push(put("teams", teamId, counted.value, counted.version));
    }
    await (within ? commitWithin(core, within, also.splice(0), writes, counted, plan.forms) : core.commitNow(writes));
    return { id: made, found };
  }, TRIES);
  const form = await toForm(core, { id, value: found.value, version: 1 });
  if (!within) found.told();
  // In a transaction of the host's, nobody knows whether it will be committed.
  if (!within) core.events.emit("form.created", form);
  wakeHost(core);
  return { value: form, version: 1 };
}

/** The option is for teams that the host makes. Its own forms have limits too only if it gives them some. */
function warnOfDefaultPlan(core: Core, { id, value }: Stored<TeamRecord>): void {
  const { defaultPlan } = core.options;
  if (id !== DEFAULT_TEAM || defaultPlan === "unlimited" || value.plan !== "unlimited") return;
  warnOnce(
    core,
    "defaultPlan",
    () =>
      `\`defaultPlan\` is "${defaultPlan}", and forms without a \`team_id\` are in the team "default", whose plan is "unlimited": ` +
      `to limit them as well, call backend.teams.update("default", { plan: "${defaultPlan}" })`,
  );
}

/** The team that gets a form. Throws `invalid_parameter` on `team_id`, `team_inactive`, `owner_unverified`. */
export async function receivingTeam(core: Core, team_id: string): Promise<Stored<TeamRecord>> {
  return usable(await loadTeam(core, team_id), team_id);
}

function usable(team: Stored<TeamRecord> | null, id: string): Stored<TeamRecord> {
  if (!team) throw wrongParameter("team_id", `there is no team "${id}"`);
  assertUsable(team.value);
  return team;
}

/**
 * Stores a new form with a whole record, and rows of the same commit. Throws `invalid_parameter`, `plan_restricted`, `team_inactive`,
 * `owner_unverified`.
 */
export function createFrom(
  core: Core,
  team_id: string,
  record: FormRecord,
  also: (id: string) => Write[],
): Promise<Row<"forms">> {
  const value = { ...record, created_at: creationTime(core) };
  return retrying(async () => {
    const team = await receivingTeam(core, team_id);
    await assertRoomFor(core, team);
    const id = formId();
    await core.commitNow([
      put("forms", id, value, null),
      addTo(countedCounter(id), 1, value.created_at),
      put("teams", team.id, team.value, team.version),
      ...also(id),
      ...tellHost(core, "form.created", formNote(id, value)),
    ]);
    wakeHost(core);
    return { id, value, version: 1 };
  }, TRIES);
}

/** Throws `plan_restricted` where a team's plan has no room for one more form. Commit its row, or two forms may take the last place. */
export async function assertRoomFor(core: Core, team: Stored<TeamRecord>): Promise<void> {
  const { forms } = planOf(core, team.value);
  await assertRoom(core, team.id, forms);
}

const lastCreation = perBackend(() => ({ at: 0 }));

/** Now, or 1 ms past the last creation in this process: forms of one millisecond would be listed by their random ids, not newest first. */
function creationTime(core: Core): string {
  const last = lastCreation(core);
  last.at = Math.max(core.clock.now(), last.at + 1);
  return iso(last.at);
}

/**
 * Returns the team's form with this key; creates it from `input` if there is none. Throws the errors of `createForm`.
 */
export async function ensureForm(
  core: Core,
  caller: Caller,
  key: string,
  input: HostFormCreate,
  made = (): void => {},
): Promise<HostForm> {
  const team_id = teamOf(caller, input.team_id);
  for (let attempt = 0; ; attempt++) {
    const known = await formIdByKey(core, team_id, key);
    const row = known === null ? null : await core.rows.get("forms", known);
    if (row) return toForm(core, row);
    try {
      const { value } = await createForm(core, caller, { ...input, settings: { ...input.settings, key } });
      made();
      return value;
    } catch (error) {
      // Another call was first: its form is the one.
      const lost = error instanceof ApiError && error.param === "settings.key" && known === null;
      if (!lost || attempt === TRIES || (await formIdByKey(core, team_id, key)) === null) throw error;
    }
  }
}

/** A credential that is restricted to forms creates none. Throws `form_access_restricted`. */
export function assertMayCreate(caller: Caller): void {
  if (caller.form_ids)
    throw new ApiError("form_access_restricted", {
      message: "A key restricted to specific forms cannot create forms.",
    });
}

/** The team that a caller means: the named one, or its only one. Throws `invalid_parameter`. */
export function teamOf(caller: Caller, wanted: string | undefined): string {
  if (!caller.team_ids) return wanted ?? DEFAULT_TEAM;
  const [only] = caller.team_ids;
  if (wanted === undefined) {
    if (caller.team_ids.length === 1 && only !== undefined) return only;
    throw new ApiError("invalid_parameter", {
      param: "team_id",
      message: "`team_id` is required: the credential covers several teams.",
    });
  }
  if (caller.team_ids.includes(wanted)) return wanted;
  throw new ApiError("invalid_parameter", { param: "team_id", message: "`team_id` is not a team of this credential." });
}
