import { z } from "zod";
import { route } from "../../core/http/route.ts";
import { HostNoteCreate, Note, NoteCreate, NoteDeleted, NoteList } from "../../model/activities.ts";
import { FormId } from "../../model/forms.ts";
import { SubmissionId } from "../../model/submissions.ts";
import { addNote, deleteNote, listNotes } from "./notes.ts";

const bySubmission = z.object({ form_id: FormId, submission_id: SubmissionId });
const tag = "Submissions";

export const noteRoutes = {
  listNotes: route({
    method: "GET",
    path: "/v1/forms/:form_id/submissions/:submission_id/notes",
    call: "submissions.notes",
    form: "kept",
    summary: "List the notes of a submission",
    tag,
    scopes: ["submissions:read"],
    params: bySubmission,
    response: NoteList,
    errors: ["submission_not_found"],
    handler: async ({ core, caller, params }) => ({
      data: await listNotes(core, caller, params.form_id, params.submission_id),
    }),
  }),
  createNote: route({
    method: "POST",
    path: "/v1/forms/:form_id/submissions/:submission_id/notes",
    call: "submissions.addNote",
    form: "kept",
    summary: "Add a note to a submission",
    tag,
    scopes: ["submissions:write"],
    params: bySubmission,
    body: NoteCreate,
    host: { body: HostNoteCreate },
    status: 201,
    response: Note,
    errors: ["submission_not_found"],
    handler: ({ core, caller, params, body }) => addNote(core, caller, params.form_id, params.submission_id, body),
  }),
  deleteNote: route({
    method: "DELETE",
    path: "/v1/forms/:form_id/submissions/:submission_id/notes/:note_id",
    call: "submissions.deleteNote",
    form: "kept",
    summary: "Delete a note",
    tag,
    scopes: ["submissions:write"],
    params: bySubmission.extend({ note_id: z.string().min(1) }),
    response: NoteDeleted,
    errors: ["submission_not_found", "not_found", "not_author"],
    handler: ({ core, caller, params: { form_id, submission_id, note_id } }) =>
      deleteNote(core, caller, form_id, { id: submission_id, note_id }),
  }),
};
