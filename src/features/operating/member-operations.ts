import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { iso, monthOf } from "../../lib/clock.ts";
import type { HostForm } from "../../model/forms.ts";
import { HOST } from "../../model/keys.ts";
import { lanes } from "../deliveries/kinds.ts";
import { lockForm, unlockForm } from "../forms/lock.ts";
import { listReports } from "../forms/reports.ts";
import { listForms } from "../forms/service.ts";
import { listTeams } from "../teams/list.ts";
import { assertUsable, loadTeam, noTeam, planOf, toTeam, updateTeam } from "../teams/service.ts";
import { countedOf, storedBy } from "../teams/usage-list.ts";
import { findAnything } from "./find.ts";
import { listLocked } from "./locks.ts";
import { queueState } from "./queue.ts";

const PAGE = 25;
/** Time for counting what a team stores, beside its page. */
const STORED_MS = 200;
const Cursor = z.string().max(1_000).nullable().default(null);
const Id = z.string().min(1).max(64);
const Locked = z.strictObject({ id: Id, reason: z.string().trim().min(1).max(500) });
const Unlocked = z.strictObject({ id: Id });

const none = (): readonly string[] => [];
const formOf = ({ id, team_id }: HostForm) => ({ team_id, form_id: id });
const teamOf = ({ id }: { id: string }) => ({ team_id: id, form_id: null });

/** For operators of the host alone. Each reads a page, whatever there is. */
export const operatorOperations = {
  /** A page of all teams, or of those with a text, and what each used this month. */
  operatorTeams: memberOperation({
    scopes: [],
    operator: true,
    body: z.strictObject({ q: z.string().max(200), cursor: Cursor }),
    async handler({ core, body: { q, cursor } }) {
      const page = await listTeams(core, { limit: PAGE, ...(q !== "" && { q }), ...(cursor !== null && { cursor }) });
      const ids = page.data.map(({ id }) => id);
      return { ...page, usage: await countedOf(core, ids, monthOf(iso(core.clock.now()))) };
    },
  }),
  /** One team, what it uses, and a page of its forms. Throws `not_found`. */
  operatorTeam: memberOperation({
    scopes: [],
    operator: true,
    body: z.strictObject({ team_id: Id, cursor: Cursor }),
    async handler({ core, body: { team_id, cursor } }) {
      const row = await loadTeam(core, team_id);
      if (!row) throw noTeam(team_id);
      const [[usage], stored, forms] = await Promise.all([
        countedOf(core, [team_id], monthOf(iso(core.clock.now()))),
        storedBy(core, team_id, STORED_MS),
        listForms(core, HOST, { team_id, limit: PAGE, ...(cursor !== null && { cursor }) }),
      ]);
      const { submissions_per_month } = planOf(core, row.value);
      return {
        team: toTeam(row.id, row.value),
        deleting: row.value.deleting,
        usage,
        stored,
        forms,
        submissions_per_month,
      };
    },
  }),
  /** The record with this id, and the teams with this text. */
  operatorFind: memberOperation({
    scopes: [],
    operator: true,
    body: z.strictObject({ q: z.string().max(320) }),
    handler: ({ core, body: { q } }) => findAnything(core, q),
  }),
  /** Due work with its age, and the webhooks that fail. */
  operatorQueue: memberOperation({
    scopes: [],
    operator: true,
    handler: ({ core }) => queueState(core, Object.keys(lanes)),
  }),
  /** A page of reports, with the form that each is about; null once it is deleted. */
  operatorReports: memberOperation({
    scopes: [],
    operator: true,
    body: z.strictObject({ cursor: Cursor }),
    async handler({ core, body: { cursor } }) {
      const page = await listReports(core, { limit: PAGE, ...(cursor !== null && { cursor }) });
      const forms = await core.rows.many("forms", [...new Set(page.data.map(({ form_id }) => form_id))]);
      const data = page.data.map((report) => {
        const form = forms.get(report.form_id)?.value;
        return { ...report, form: form ? { name: form.name, locked: form.locked } : null };
      });
      return { ...page, data };
    },
  }),
  /** A page of what is locked. */
  operatorLocks: memberOperation({
    scopes: [],
    operator: true,
    body: z.strictObject({ cursor: Cursor }),
    handler: ({ core, body: { cursor } }) => listLocked(core, cursor),
  }),
  /** Locks a form. Throws `form_not_found`. */
  operatorLockForm: memberOperation({
    scopes: [],
    operator: true,
    body: Locked,
    handler: ({ core, body: { id, reason } }) => lockForm(core, id, { reason }),
    audit: { action: "lock_form", ids: none, of: formOf },
  }),
  /** Unlocks a form. Throws `form_not_found`. */
  operatorUnlockForm: memberOperation({
    scopes: [],
    operator: true,
    body: Unlocked,
    handler: ({ core, body: { id } }) => unlockForm(core, id),
    audit: { action: "unlock_form", ids: none, of: formOf },
  }),
  /** Locks every form of a team. Throws `not_found`. */
  operatorLockTeam: memberOperation({
    scopes: [],
    operator: true,
    body: Locked,
    handler: ({ core, body: { id, reason } }) => updateTeam(core, id, { locked: { reason } }),
    audit: { action: "lock_team", ids: none, of: teamOf },
  }),
  /** Takes the lock of a team away. Throws `not_found`. */
  operatorUnlockTeam: memberOperation({
    scopes: [],
    operator: true,
    body: Unlocked,
    handler: ({ core, body: { id } }) => updateTeam(core, id, { locked: null }),
    audit: { action: "unlock_team", ids: none, of: teamOf },
  }),
  /** Notes that an operator goes into a team. Throws `not_found`, `team_inactive`, `owner_unverified`. */
  enterTeam: memberOperation({
    scopes: [],
    operator: true,
    body: z.strictObject({ team_id: Id }),
    async handler({ core, body: { team_id } }) {
      const row = await loadTeam(core, team_id);
      if (!row) throw noTeam(team_id);
      assertUsable(row.value);
      return { id: row.id, name: row.value.name };
    },
    audit: { action: "enter_team", ids: none, of: teamOf },
  }),
};
