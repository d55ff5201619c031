import { route } from "../../core/http/route.ts";
import { SpamModel, SpamModelForgotten, SpamModelQuery } from "../../model/spam-model.ts";
import { learnedModel } from "./learned/late.ts";

const tag = "Spam model";

/** The learned model of a team. It concerns all forms of a team, so that a credential restricted to forms is refused. */
export const spamModelRoutes = {
  getSpamModel: route({
    method: "GET",
    path: "/v1/spam-model",
    call: "spamModel.get",
    creates: true,
    summary: "Show what a team's marks have taught",
    tag,
    scopes: ["submissions:read"],
    query: SpamModelQuery,
    response: SpamModel,
    errors: ["not_found"],
    handler: async ({ core, caller, query }) => (await learnedModel.load()).spamModel(core, caller, query.team_id),
  }),
  forgetSpamModel: route({
    method: "DELETE",
    path: "/v1/spam-model",
    call: "spamModel.forget",
    creates: true,
    summary: "Forget what a team's marks have taught",
    tag,
    scopes: ["submissions:write"],
    query: SpamModelQuery,
    response: SpamModelForgotten,
    errors: ["not_found"],
    handler: async ({ core, caller, query }) => (await learnedModel.load()).forgetSpam(core, caller, query.team_id),
  }),
};
