import { z } from "zod";
import { memberOperation } from "../../core/member-operation.ts";
import { SavedViewCreate } from "../../model/saved.ts";
import { deleteView, listViews, saveView } from "./views.ts";

/** Lists that people keep in the side bar of the inbox. */
export const viewOperations = {
  /** The person's own views and the shared ones of their teams. */
  listViews: memberOperation({
    scopes: ["submissions:read"],
    handler: ({ core, caller }) => listViews(core, caller),
  }),
  /** Keeps a view. Throws `invalid_parameter`. */
  saveView: memberOperation({
    team: "part",
    scopes: ["submissions:read"],
    body: SavedViewCreate,
    handler: ({ core, caller, team, body }) => saveView(core, caller, team.id, body),
  }),
  /** Removes a view. Throws `not_found`. */
  deleteView: memberOperation({
    scopes: ["submissions:read"],
    body: z.strictObject({ id: z.string() }),
    handler: ({ core, caller, body }) => deleteView(core, caller, body.id),
  }),
};
