import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { quietOf } from "../../model/quiet.ts";
import { SubmissionBulk } from "../../model/submissions.ts";
import { lintForm } from "./lint.ts";
import { FormOverviewQuery, formsOverview, toOverviews } from "./overview.ts";
import { byForm, heldBack } from "./selection.ts";
import { QUIET_WINDOW } from "./tell-quiet.ts";

const Ids = z.strictObject({ ids: z.array(z.string()) });

/** Facts about forms that the inbox shows beside their submissions. */
export const formOperations = {
  /** The person's forms at a glance, newest first. */
  overviewForms: memberOperation({
    scopes: ["forms:read"],
    body: FormOverviewQuery,
    handler: ({ core, caller, body }) => formsOverview(core, caller, body),
  }),
  /** One form at a glance. */
  overviewForm: memberOperation({
    form: "live",
    scopes: ["forms:read"],
    body: FormOverviewQuery.pick({ days: true }),
    handler: async ({ core, form, body }) => (await toOverviews(core, [form], body.days))[0] ?? null,
  }),
  /** The time since which a webhook of the form fails; null while it works. */
  failingSince: memberOperation({
    form: "live",
    scopes: ["forms:read"],
    body: z.strictObject({ id: z.string() }),
    async handler({ core, form, body }) {
      if (!form.value.webhooks.some(({ id }) => id === body.id)) return null;
      return (await core.rows.get("webhook_states", body.id))?.value.failing?.since ?? null;
    },
  }),
  /** The settings of a form compared with what came. */
  checkForm: memberOperation({
    form: "live",
    scopes: ["forms:read", "submissions:read"],
    handler: ({ core, caller, form }) => lintForm(core, caller, form),
  }),
  /** The silence of an active form; null where all is as usual. */
  quietForm: memberOperation({
    form: "live",
    scopes: ["forms:read"],
    handler: async ({ core, form }) => {
      if (!form.value.active) return null;
      const [overview] = await toOverviews(core, [form], QUIET_WINDOW);
      return quietOf(overview?.days ?? []);
    },
  }),
};

/** The forms of submissions in a list over all forms. */
export const formNameOperations = {
  /** The names and teams of those of these forms that there are and that the person's teams have. */
  nameForms: memberOperation({
    scopes: ["submissions:read"],
    body: Ids,
    handler: async ({ core, caller, body }) =>
      [...(await core.rows.many("forms", body.ids)).values()]
        .filter(({ value }) => caller.team_ids === null || caller.team_ids.includes(value.team_id))
        .map(({ id, value }) => ({ id, name: value.name, team_id: value.team_id })),
  }),
  /** The team of a deleted form; null if it left no submission that the person's teams have. */
  teamOfForm: memberOperation({
    scopes: ["submissions:read"],
    body: z.strictObject({ form_id: z.string() }),
    handler: async ({ core, caller, body: { form_id } }) => {
      const left = core.rows.walk("submissions", { index: "form", equals: { form_id }, order: "desc", limit: 1 });
      const team_id = (await left.next()).value?.[0]?.value.team_id;
      return team_id !== undefined && (caller.team_ids?.includes(team_id) ?? true) ? team_id : null;
    },
  }),
};

/** Submissions that a person has selected, of any form. */
export const selectionOperations = {
  /** Those that the person reaches, form by form, and that an action would change: what a question says of others would tell of them. */
  groupByForm: memberOperation({
    scopes: ["submissions:read"],
    body: Ids.extend({ action: SubmissionBulk.shape.action.optional() }),
    handler: ({ core, caller, body }) => byForm(core, caller, body),
  }),
  /** The emails and calls of webhooks that releasing them from spam would send. */
  countHeldBack: memberOperation({
    scopes: ["submissions:read"],
    body: Ids,
    handler: ({ core, caller, body }) => heldBack(core, caller, body.ids),
  }),
};
