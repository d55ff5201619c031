import type { Core } from "../../core/core.ts";
import { put, type Row, remove, retrying } from "../../core/rows.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { prefixedId } from "../../lib/id.ts";
import type { HostNoteCreate, Note, NoteDeleted } from "../../model/activities.ts";
import { type Caller, hasScope, personOf } from "../../model/keys.ts";
import { noWork } from "../../model/work.ts";
import { load, TRIES } from "./service.ts";

const MAX_NOTES = 200;
const NOTE = "note";

/** What people noted on a submission and did with it, oldest first. */
export const activitiesOf = (core: Core, id: string): Promise<Row<"activities">[]> =>
  core.rows.all("activities", { index: "submission", equals: { submission_id: id } });

const toNote = ({ id, value: { author, text, created_at } }: Row<"activities">): Note => ({
  id,
  author,
  text,
  created_at,
});

/**
 * The notes of a submission, oldest first. Throws `submission_not_found`, and `insufficient_scope` for an agent that may not
 * write: notes are for the people at work.
 */
export async function listNotes(core: Core, caller: Caller, formId: string, id: string): Promise<Note[]> {
  assertPeople(caller);
  await load(core, formId, id);
  return (await activitiesOf(core, id)).filter(({ value }) => value.what === NOTE).map(toNote);
}

/** Throws `insufficient_scope` for an agent that may not write. */
export function assertPeople(caller: Caller): void {
  if (caller.sees !== "agents" || hasScope(caller, "submissions:write")) return;
  throw new ApiError("insufficient_scope", {
    required: ["submissions:write"],
    message: "The credential lacks the scope submissions:write, which an agent needs to read notes.",
  });
}

/** Adds a note. Throws `submission_not_found`, `invalid_parameter` if there are 200 already. */
export function addNote(
  core: Core,
  caller: Caller,
  formId: string,
  id: string,
  { text, author = personOf(caller) }: HostNoteCreate,
): Promise<Note> {
  return retrying(async () => {
    const { value, version } = await load(core, formId, id);
    const work = value.work ?? noWork;
    if (work.notes >= MAX_NOTES)
      throw wrongParameter("text", `is one too many: a submission has at most ${MAX_NOTES} notes`);
    const note = { submission_id: id, created_at: iso(core.clock.now()), author, what: NOTE, text };
    const note_id = prefixedId("act");
    await core.commitNow([
      put("activities", note_id, note, null),
      put("submissions", id, { ...value, work: { ...work, notes: work.notes + 1 } }, version),
    ]);
    return toNote({ id: note_id, value: note, version: 1 });
  }, TRIES);
}

/** Deletes a note of the caller's own; who may do everything, anybody's. Throws `submission_not_found`, `not_found`, `not_author`. */
export function deleteNote(
  core: Core,
  caller: Caller,
  formId: string,
  { id, note_id }: { readonly id: string; readonly note_id: string },
): Promise<NoteDeleted> {
  return retrying(async () => {
    const { value, version } = await load(core, formId, id);
    const note = await core.rows.get("activities", note_id);
    if (note?.value.submission_id !== id || note.value.what !== NOTE)
      throw new ApiError("not_found", { message: "The submission has no note with this id." });
    const isAdmin = caller.auth === "host" && caller.scopes === "all";
    if (note.value.author.id !== personOf(caller).id && !isAdmin) throw new ApiError("not_author");
    const work = value.work ?? noWork;
    await core.commitNow([
      remove("activities", note_id, note.version),
      put("submissions", id, { ...value, work: { ...work, notes: Math.max(0, work.notes - 1) } }, version),
    ]);
    return { id: note_id, deleted: true as const };
  }, TRIES);
}

/** The notes of several submissions, by the submission's id, oldest first. */
export async function notesOf(core: Core, rows: readonly Row<"submissions">[]): Promise<Map<string, Note[]>> {
  const notes = new Map<string, Note[]>();
  for (const { id, value } of rows) {
    if (!value.work || value.work.notes === 0) continue;
    notes.set(id, (await activitiesOf(core, id)).filter((row) => row.value.what === NOTE).map(toNote));
  }
  return notes;
}
