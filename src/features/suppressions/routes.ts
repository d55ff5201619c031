import { route } from "../../core/http/route.ts";
import {
  Suppression,
  SuppressionCreate,
  SuppressionDeleted,
  SuppressionDeleteQuery,
  SuppressionList,
  SuppressionListQuery,
  SuppressionParams,
} from "../../model/suppressions.ts";
import { authorOf } from "../keys/author.ts";
import { addSuppression, listSuppressions, removeSuppression } from "./service.ts";

const tag = "Suppressions";

/** A list concerns all forms of a team, so that a credential restricted to forms is refused. */
export const suppressionRoutes = {
  listSuppressions: route({
    method: "GET",
    path: "/v1/suppressions",
    call: "suppressions.list",
    creates: true,
    summary: "List suppressed addresses",
    tag,
    scopes: ["forms:read"],
    query: SuppressionListQuery,
    response: SuppressionList,
    errors: [],
    handler: ({ core, caller, query }) => listSuppressions(core, caller, query),
  }),
  addSuppression: route({
    method: "POST",
    path: "/v1/suppressions",
    call: "suppressions.add",
    creates: true,
    summary: "Suppress an address",
    tag,
    scopes: ["forms:write"],
    body: SuppressionCreate,
    status: 201,
    response: Suppression,
    errors: [],
    handler: async ({ core, caller, body }) => addSuppression(core, caller, (await authorOf(core, caller)).name, body),
  }),
  removeSuppression: route({
    method: "DELETE",
    path: "/v1/suppressions/:email",
    call: "suppressions.remove",
    creates: true,
    summary: "Send to an address again",
    tag,
    scopes: ["forms:write"],
    params: SuppressionParams,
    query: SuppressionDeleteQuery,
    response: SuppressionDeleted,
    errors: ["not_found"],
    handler: ({ core, caller, params, query }) => removeSuppression(core, caller, params.email, query.team_id),
  }),
};
