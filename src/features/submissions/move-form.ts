import type { Core } from "../../core/core.ts";
import { put, type Row, remove } from "../../core/rows.ts";
import { StaleWriteError, type Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { HOUR_MS, iso } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import { formMoveLeaf, formMoveMark } from "../../model/form-move.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { type FormMoveInput, type HostForm, FormMoveInput as Input } from "../../model/forms.ts";
import { HOST } from "../../model/keys.ts";
import type { MarkId } from "../../model/marks.ts";
import { stockMark } from "../../model/teams.ts";
import { imagesOf } from "../files/form-images.ts";
import { reachForm } from "../forms/access.ts";
import { changeForm } from "../forms/change.ts";
import { assertRoomFor, receivingTeam } from "../forms/create.ts";
import { withImagesAt } from "../forms/image-urls.ts";
import { nameWrites } from "../forms/names.ts";
import { toForm } from "../forms/view.ts";
import { formNote, tellHost, wakeHost } from "../webhooks/host-events.ts";
import { runWrites } from "./runs.ts";

/** A process knows a form for seconds and a post takes less than a minute, so a look after this time finds the last of them. */
const AGAIN_MS = HOUR_MS;
/** Rows of one commit. */
const TOGETHER = 50;
const MOST_KEYS = 5;

/**
 * Moves a form to another team with its submissions, files, counters, webhooks, drafts and the log of its deliveries. Its address
 * stays: at a host of its old team's own, it is still served. Rows follow in steps; should the process die, the sweep goes on.
 * Throws `form_not_found`, `invalid_parameter` on `team_id`, `plan_restricted`, `team_inactive`, `owner_unverified`.
 */
export async function moveForm(core: Core, id: string, input: FormMoveInput): Promise<HostForm> {
  const { team_id } = parseInput(Input, input);
  const form = await reachForm(core, HOST, id);
  const { row, changed } = await changeForm(core, form, async ({ value }) => {
    if (value.team_id === team_id) return null;
    const team = await receivingTeam(core, team_id);
    const left = await core.rows.get("teams", value.team_id);
    if (left?.value.deleting) throw new ApiError("team_inactive", { message: "The form's team is being deleted." });
    await assertFree(core, id, value);
    await assertRoomFor(core, team);
    // Under their versions, so that neither team begins to be deleted at the same moment.
    const teams = [team, ...(left ? [left] : [])].map((one) => put("teams", one.id, one.value, one.version));
    const next: FormRecord = {
      ...(await withImagesAt(core, value, await imagesOf(core, id), team_id)),
      team_id,
      ...(left?.value.base_url && { former_team_ids: [...new Set([...(value.former_team_ids ?? []), left.id])] }),
    };
    const note = { form_id: id, team_id, followed: false, expires_at: iso(0) };
    const stocks = [value.team_id, team_id].map((one) => remove("marks", stockMark(one)));
    const names = await nameWrites(core, id, value, next, "settings.");
    const told = tellHost(core, "form.updated", formNote(id, next));
    return { value: next, also: [...teams, ...names, ...stocks, put("marks", formMoveMark(id), note), ...told] };
  });
  if (changed) wakeHost(core);
  const mark = await core.rows.mark(formMoveMark(id), formMoveLeaf);
  if (mark && !mark.value.followed) await followForm(core, mark.id);
  const view = await toForm(core, row);
  if (changed) core.events.emit("form.updated", view);
  return view;
}

/** What belongs to the team that the form leaves. Throws `invalid_parameter` on `team_id`. */
async function assertFree(
  core: Core,
  id: string,
  { team_id, self_email_notification: mail }: FormRecord,
): Promise<void> {
  const refuse = (what: string): ApiError =>
    new ApiError("invalid_parameter", {
      param: "team_id",
      message: `\`team_id\`: the form can't leave its team: ${what}.`,
    });
  if (mail.sender.server_id)
    throw refuse('it sends over the team\'s email server; set `self_email_notification.sender.server_id` to "" first');
  const bound: string[] = [];
  for await (const keys of core.rows.walk("keys", { index: "team", equals: { team_id } })) {
    for (const { id: key, value } of keys) if (!value.revoked_at && value.form_ids?.includes(id)) bound.push(key);
    if (bound.length >= MOST_KEYS) break;
  }
  if (bound.length > 0)
    throw refuse(`revoke the keys that are restricted to it first (${bound.slice(0, MOST_KEYS).join(", ")})`);
}

/**
 * Gives all rows of a form the team that it came to. May be repeated at any point. False where the mark is to be removed: all have
 * followed, and the look after that found no more.
 */
export async function followForm(
  core: Core,
  id: string,
  alive: () => Promise<void> = async () => {},
): Promise<boolean> {
  const found = await core.rows.mark(id as MarkId, formMoveLeaf);
  if (!found) return false;
  const { value: note, version } = found;
  const form = await core.rows.get("forms", note.form_id);
  // Deleted meanwhile: its submissions follow to the team that it had.
  const to = form?.value.team_id ?? note.team_id;
  while ((await follow(core, note.form_id, to, alive)) > 0) await alive();
  if (note.followed) return false;
  const next = { ...note, team_id: to, followed: true, expires_at: iso(core.clock.now() + AGAIN_MS) };
  // Moved once more meanwhile: that call has the mark.
  await core.commitNow([put("marks", id as MarkId, next, version)]).catch((error: unknown) => {
    if (!(error instanceof StaleWriteError)) throw error;
  });
  return true;
}

const collections = [
  "submissions",
  "trashed_submissions",
  "pending_submissions",
  "jobs",
  "drafts",
  "images",
  "abuse_reports",
] as const;

/** One pass over the form's rows, which get its team. Returns the number of those that were of another team. */
export async function follow(
  core: Core,
  form_id: string,
  team_id: string,
  alive: () => Promise<void>,
): Promise<number> {
  let moved = 0;
  for (const collection of collections) {
    for await (const rows of core.rows.walk(collection, { index: "form", equals: { form_id }, limit: TOGETHER })) {
      await alive();
      const others = rows.filter(({ value }) => value.team_id !== team_id);
      if (others.length === 0) continue;
      moved += others.length;
      const writes: Write[] = [];
      for (const row of others) {
        writes.push(put(collection, row.id, { ...row.value, team_id } as never, row.version));
        if ("attachments" in row.value) writes.push(...(await besideSubmission(core, row as Row<Content>, team_id)));
        if (collection === "submissions") writes.push(...runsAfter(row as Row<"submissions">, team_id));
      }
      // One that somebody changes at the same moment is found by the next pass.
      await core.commitNow(writes).catch((error: unknown) => {
        if (!(error instanceof StaleWriteError)) throw error;
      });
    }
  }
  return moved;
}

type Content = "submissions" | "trashed_submissions" | "pending_submissions";

/** The runs of labels and assignees in the team. */
const runsAfter = ({ id, value }: Row<"submissions">, team_id: string): Write[] =>
  runWrites(id, value, { ...value, team_id });

/** A submission's files and messages. */
async function besideSubmission(core: Core, { id, value }: Row<Content>, team_id: string): Promise<Write[]> {
  const files = value.attachments.map(({ file_id }) => file_id);
  const found = [...(await core.rows.many("files", files)).values()];
  const writes = found.map((row) => put("files", row.id, { ...row.value, team_id }, row.version));
  for await (const rows of core.rows.walk("messages", { index: "submission", equals: { submission_id: id } }))
    for (const row of rows) writes.push(put("messages", row.id, { ...row.value, team_id }, row.version));
  return writes;
}
