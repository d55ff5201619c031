import { memberOperation } from "../../core/member-operation.ts";
import { planOf, toTeam } from "../teams/service.ts";
import { monthUsed } from "./quota.ts";

/** Time that a page spends on counting the forms of a team. */
const COUNT_BUDGET_MS = 1_000;

/** The part of its plan that a team uses. */
export const usageOperations = {
  /** A team, its plan, and the numbers of its forms and of this month's submissions. */
  useOfPlan: memberOperation({
    team: "whole",
    scopes: [],
    admin: true,
    handler: async ({ core, team: { id, value } }) => {
      const [forms, submissions] = await Promise.all([
        core.storage.count("forms", { index: "team", equals: { team_id: id }, budgetMs: COUNT_BUDGET_MS }),
        monthUsed(core, id),
      ]);
      return { team: toTeam(id, value), plan: planOf(core, value), forms: forms.count, submissions };
    },
  }),
};
