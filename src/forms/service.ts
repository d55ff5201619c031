import { type Core, update } from "../core.ts";
import { type Position, StaleWriteError, type Stored, type Write } from "../drivers/storage/types.ts";
import { findServer } from "../email-servers/service.ts";
import { ApiError } from "../errors.ts";
import type { Caller } from "../keys/schema.ts";
import { DAY_MS, iso } from "../lib/clock.ts";
import { formId } from "../lib/id.ts";
import { mergeLeaves } from "../lib/merge.ts";
import { pageMerged, toList } from "../paging.ts";
import { providerOfSecret } from "../spam/captcha/provider.ts";
import type { Plan } from "../teams/plans.ts";
import { assertUsable, DEFAULT_TEAM, loadTeam, planOf } from "../teams/service.ts";
import type { WebhookCreate } from "../webhooks/schema.ts";
import { assertWebhooks, newWebhook } from "../webhooks/service.ts";
import { listedTeams, reachForm } from "./access.ts";
import { defaultForm } from "./defaults.ts";
import { daysKept, leaveBehind } from "./left-behind.ts";
import { assertPlanAllows } from "./plan.ts";
import { distinct } from "./recipients.ts";
import type { Form, FormDeleted, FormListQuery, FormRecord, HostFormCreate, HostFormPatch } from "./schema.ts";
import { toForms } from "./view.ts";

/** One form. Throws `form_not_found`, `form_access_restricted`, `team_inactive`, `owner_unverified`. */
export async function retrieveForm(core: Core, caller: Caller, id: string): Promise<Form> {
  return toForm(core, await reachForm(core, caller, id));
}

/** The forms that the caller can reach, newest first. Throws `invalid_parameter`. */
export async function listForms(core: Core, caller: Caller, query: FormListQuery) {
  const { limit, cursor, team_id } = query;
  const teams = await listedTeams(core, caller, team_id);
  const scope = JSON.stringify(["forms", caller.id, team_id ?? null]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  const page = caller.form_ids
    ? await pageOfIds(core, caller.form_ids, teams, after, limit)
    : await pageMerged<FormRecord>(core.storage, "forms", {
        partitions: teams
          ? teams.map((id) => ({ index: "team", equals: { team_id: id } }))
          : [{ index: "all", equals: {} }],
        sort: "created_at",
        after,
        order: "desc",
        limit,
      });
  return toList(page, "created_at", await toForms(core, page.rows), (position) => core.cursors.issue(position, scope));
}

/**
 * Creates a form in the caller's team, with its first webhooks in the same commit.
 * Throws `form_access_restricted`, `invalid_parameter`, `plan_restricted`.
 */
export async function createForm(
  core: Core,
  caller: Caller,
  input: HostFormCreate,
  firstWebhooks: readonly WebhookCreate[] = [],
): Promise<Form> {
  assertMayCreate(caller);
  const { team_id: wanted, ...patch } = input;
  const teamId = teamOf(caller, wanted);
  const team = await loadTeam(core, teamId);
  if (!team)
    throw new ApiError("invalid_parameter", {
      param: "team_id",
      message: `\`team_id\`: there is no team "${teamId}".`,
    });
  assertUsable(team.value);
  const plan = planOf(core, team.value);

  const created_at = creationTime(core);
  const webhooks = await Promise.all(firstWebhooks.map(async (webhook) => (await newWebhook(core, webhook)).webhook));
  const blank = { ...defaultForm(teamId, team.value.owner.email, plan, created_at), webhooks };
  const value = await configured(core, blank, patch, plan);
  if (webhooks.length > 0) assertWebhooks(plan, webhooks.length);
  for (let attempt = 0; ; attempt++) {
    // Where the number of forms is limited, the team's row is written along, so that two creates at once count one after the other.
    const counted = plan.forms === null ? null : await loadTeam(core, teamId);
    if (plan.forms !== null) await assertRoom(core, teamId, plan.forms);
    const id = formId();
    try {
      await core.storage.commit([
        { op: "put", collection: "forms", id, value: { ...value }, expect: null },
        ...(counted
          ? [
              {
                op: "put" as const,
                collection: "teams",
                id: teamId,
                value: { ...counted.value },
                expect: counted.version,
              },
            ]
          : []),
      ]);
      const form = await toForm(core, { id, value, version: 1 });
      core.events.emit("form.created", form);
      return form;
    } catch (error) {
      if (!(error instanceof StaleWriteError) || attempt === 20) throw error;
    }
  }
}

/** Changes the leaves that are sent. Throws `invalid_parameter`, `plan_restricted` and what `reachForm` throws. */
export async function updateForm(core: Core, caller: Caller, id: string, patch: HostFormPatch): Promise<Form> {
  const before = await reachForm(core, caller, id);
  const team = await loadTeam(core, before.value.team_id);
  const plan = team ? planOf(core, team.value) : null;
  const changes = Object.keys(patch).length > 0;
  const value = await update<FormRecord>(
    core,
    "forms",
    id,
    async (form) => (changes && plan ? configured(core, form, patch, plan) : null),
    () => new ApiError("form_not_found"),
  );
  core.cached.forms.drop(id);
  const form = await toForm(core, { id, value, version: before.version + 1 });
  if (changes) core.events.emit("form.updated", form);
  return form;
}

/** Removes the form only; its submissions stay readable. Throws what `reachForm` throws. */
export async function deleteForm(core: Core, caller: Caller, id: string): Promise<FormDeleted> {
  const days = daysKept((await reachForm(core, caller, id)).value);
  const writes: Write[] = [{ op: "remove", collection: "forms", id }];
  // Whose submission is the oldest the next sweep finds out.
  if (days !== null) writes.push(leaveBehind(id, days, core.clock.now() - days * DAY_MS));
  await core.storage.commit(writes);
  core.cached.forms.drop(id);
  core.events.emit("form.deleted", { id });
  return { id, deleted: true };
}

const lastCreation = new WeakMap<Core, number>();

/** Now, or 1 ms past the last creation in this process: forms of one millisecond would be listed by their random ids, not newest first. */
function creationTime(core: Core): string {
  const at = Math.max(core.clock.now(), (lastCreation.get(core) ?? 0) + 1);
  lastCreation.set(core, at);
  return iso(at);
}

/** A credential that is restricted to forms creates none. Throws `form_access_restricted`. */
export function assertMayCreate(caller: Caller): void {
  if (caller.form_ids)
    throw new ApiError("form_access_restricted", {
      message: "A key restricted to specific forms cannot create forms.",
    });
}

/** The page of a key that is restricted to forms: at most 1,000 ids, read at once. */
async function pageOfIds(
  core: Core,
  ids: readonly string[],
  teams: readonly string[] | null,
  after: Position | undefined,
  limit: number,
) {
  const place = (row: Stored<FormRecord>) => `${row.value.created_at} ${row.id}`;
  const rows = [...(await core.storage.get("forms", ids)).values()] as unknown as Stored<FormRecord>[];
  const found = rows
    .filter(
      (row) => (!teams || teams.includes(row.value.team_id)) && (!after || place(row) < `${after.sort} ${after.id}`),
    )
    .sort((a, b) => (place(a) < place(b) ? 1 : -1));
  return { rows: found.slice(0, limit), more: found.length > limit };
}

async function toForm(core: Core, row: Stored<FormRecord>): Promise<Form> {
  return (await toForms(core, [row]))[0] as Form;
}

function teamOf(caller: Caller, wanted: string | undefined): string {
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

async function assertRoom(core: Core, team_id: string, limit: number): Promise<void> {
  const { count } = await core.storage.count("forms", { index: "team", equals: { team_id }, budgetMs: 5_000 });
  if (count >= limit) throw new ApiError("plan_restricted", { message: `The team's plan includes ${limit} form(s).` });
}

/** `form` with the patch's leaves, and every rule that spans more than one leaf held up. */
async function configured(core: Core, form: FormRecord, patch: HostFormPatch, plan: Plan): Promise<FormRecord> {
  const { spam, ...rest } = patch;
  const captcha = await captchaOf(core, form.spam.captcha, spam?.captcha);
  const value = mergeLeaves(form, {
    ...rest,
    spam: { protection: spam?.protection, require_token: spam?.require_token },
  });
  value.spam = { ...value.spam, captcha };

  const mail = value.self_email_notification;
  if (rest.self_email_notification?.recipients) mail.recipients = distinct(mail.recipients);
  if (
    rest.self_email_notification?.sender?.server_id &&
    (await findServer(core, mail.sender.server_id))?.value.team_id !== form.team_id
  ) {
    const param = "self_email_notification.sender.server_id";
    throw new ApiError("invalid_parameter", { param, message: `\`${param}\` must name an email server of the team.` });
  }
  assertPlanAllows(plan, patch);
  return value;
}

async function captchaOf(
  core: Core,
  before: FormRecord["spam"]["captcha"],
  patch: NonNullable<HostFormPatch["spam"]>["captcha"],
): Promise<FormRecord["spam"]["captcha"]> {
  const { secret_key: secret, provider } = patch ?? {};
  if (secret === "" || (provider === "none" && secret === undefined)) return { provider: "none", secret: "" };
  if (secret === undefined) {
    if (provider === undefined) return before;
    if (before.secret === "") {
      const param = "spam.captcha.secret_key";
      throw new ApiError("invalid_parameter", { param, message: `\`${param}\` is required with a captcha provider.` });
    }
    return { ...before, provider };
  }
  const known = provider ?? providerOfSecret(secret);
  if (!known || known === "none") {
    const param = "spam.captcha.secret_key";
    throw new ApiError("invalid_parameter", {
      param,
      message: `\`${param}\` is not a secret of reCAPTCHA, hCaptcha, Turnstile or ALTCHA; copy the secret key, not the site key.`,
    });
  }
  return { provider: known, secret: await core.seal.seal(secret) };
}
