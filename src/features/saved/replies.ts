import type { Core } from "../../core/core.ts";
import { put, type Row, remove } from "../../core/rows.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import { parseTemplate, TemplateError } from "../../lib/template.ts";
import type { Caller } from "../../model/keys.ts";
import type { SavedReply, SavedReplyCreate, SavedReplyDeleted, SavedReplyPatch } from "../../model/saved.ts";
import { onlyTeam, reachTeam } from "../teams/access.ts";

/** Replies that a team keeps at most. */
const MAX_REPLIES = 200;

const missing = (): ApiError => new ApiError("not_found", { message: "There is no saved reply with this id." });

/** A reply, and whose it is: for the audit alone, since answers have what their schema names. */
type OwnedReply<T> = T & { readonly team_id: string };

const toReply = ({ id, value: { name, text } }: Row<"saved_replies">): SavedReply => ({ id, name, text });

const repliesOf = (core: Core, team_id: string): Promise<Row<"saved_replies">[]> =>
  core.rows.all("saved_replies", { index: "team", equals: { team_id }, most: MAX_REPLIES * 2 });

/** The replies of a team, by name. Throws `not_found`, `invalid_parameter`. */
export async function listReplies(core: Core, caller: Caller, team_id?: string): Promise<SavedReply[]> {
  const rows = await repliesOf(core, await onlyTeam(core, caller, team_id));
  return rows.map(toReply).sort((a, b) => a.name.localeCompare(b.name, "en"));
}

/** Keeps a reply. Throws `not_found`, `invalid_parameter`. */
export async function createReply(core: Core, caller: Caller, input: SavedReplyCreate): Promise<SavedReply> {
  const { name, text } = input;
  const team_id = await onlyTeam(core, caller, input.team_id);
  assertTags(text);
  if ((await repliesOf(core, team_id)).length >= MAX_REPLIES)
    throw wrongParameter("name", `is one too many: a team keeps at most ${MAX_REPLIES} replies`);
  const id = prefixedId("rpl");
  const value = { team_id, created_at: iso(core.clock.now()), name, text };
  await core.commitNow([put("saved_replies", id, value, null)]);
  return { id, name, text };
}

/** Changes the sent members of a reply. Throws `not_found`, `invalid_parameter`. */
export async function updateReply(
  core: Core,
  caller: Caller,
  id: string,
  patch: SavedReplyPatch,
): Promise<OwnedReply<SavedReply>> {
  if (patch.text !== undefined) assertTags(patch.text);
  await reached(core, caller, id);
  const value = await core.rows.update(
    "saved_replies",
    id,
    (before) => ({ ...before, name: patch.name ?? before.name, text: patch.text ?? before.text }),
    missing,
  );
  return { ...toReply({ id, value, version: 0 }), team_id: value.team_id };
}

/** Removes a reply. Throws `not_found`. */
export async function deleteReply(core: Core, caller: Caller, id: string): Promise<OwnedReply<SavedReplyDeleted>> {
  const team_id = await reached(core, caller, id);
  await core.commitNow([remove("saved_replies", id)]);
  return { id, deleted: true, team_id };
}

/** Throws `invalid_parameter` for tags that no mail could fill in. */
function assertTags(text: string): void {
  try {
    parseTemplate(text);
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw wrongParameter("text", error.message);
  }
}

/** The team of a reply. Throws `not_found`, also for a reply of another's team. */
async function reached(core: Core, caller: Caller, id: string): Promise<string> {
  const row = await core.rows.get("saved_replies", id);
  if (!row || (caller.team_ids && !caller.team_ids.includes(row.value.team_id))) throw missing();
  if (caller.team_ids) await reachTeam(core, caller, row.value.team_id);
  return row.value.team_id;
}
