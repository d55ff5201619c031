import { z } from "zod";
import { route } from "../../core/http/route.ts";
import {
  SavedReply,
  SavedReplyCreate,
  SavedReplyDeleted,
  SavedReplyList,
  SavedReplyPatch,
  SavedReplyQuery,
} from "../../model/saved.ts";
import { createReply, deleteReply, listReplies, updateReply } from "./replies.ts";

const byReply = z.object({ reply_id: z.string().min(1) });
const tag = "Saved replies";

export const savedReplyRoutes = {
  listSavedReplies: route({
    method: "GET",
    path: "/v1/saved-replies",
    call: "savedReplies.list",
    summary: "List saved replies",
    tag,
    scopes: ["submissions:read"],
    query: SavedReplyQuery,
    response: SavedReplyList,
    errors: ["not_found"],
    handler: async ({ core, caller, query }) => ({ data: await listReplies(core, caller, query.team_id) }),
  }),
  createSavedReply: route({
    method: "POST",
    path: "/v1/saved-replies",
    call: "savedReplies.create",
    summary: "Save a reply",
    tag,
    scopes: ["submissions:write"],
    body: SavedReplyCreate,
    status: 201,
    response: SavedReply,
    errors: ["not_found"],
    handler: ({ core, caller, body }) => createReply(core, caller, body),
  }),
  updateSavedReply: route({
    method: "PATCH",
    path: "/v1/saved-replies/:reply_id",
    call: "savedReplies.update",
    summary: "Change a saved reply",
    tag,
    scopes: ["submissions:write"],
    params: byReply,
    body: SavedReplyPatch,
    response: SavedReply,
    errors: ["not_found"],
    handler: ({ core, caller, params, body }) => updateReply(core, caller, params.reply_id, body),
  }),
  deleteSavedReply: route({
    method: "DELETE",
    path: "/v1/saved-replies/:reply_id",
    call: "savedReplies.delete",
    summary: "Delete a saved reply",
    tag,
    scopes: ["submissions:write"],
    params: byReply,
    response: SavedReplyDeleted,
    errors: ["not_found"],
    handler: ({ core, caller, params }) => deleteReply(core, caller, params.reply_id),
  }),
};
