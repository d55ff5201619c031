import { ApiError } from "../../../errors.ts";
import { textResponse } from "../../../lib/response.ts";
import type { PostedWithFiles } from "../../api/posted-files.ts";
import { privateHeaders, redirect } from "../answer.ts";
import { besideOf } from "../beside.ts";
import { postedAnswer } from "../body.ts";
import { cameFrom } from "../filters.ts";
import { type Item, itemOf } from "../item.ts";
import { noticeCookie } from "../layout/notice.ts";
import { tidy } from "../settings/tidy.ts";
import type { MemberRequest } from "../visit.ts";
import type { Draft } from "./_thread.ts";
import { itemScreen, teamOf } from "./item.ts";

/** Sends an answer, takes one back, or puts a saved reply into the text of one. */
export async function replyAct(visit: MemberRequest): Promise<Response> {
  const answer = await postedAnswer(visit.exchange.request);
  const item = await itemOf(visit);
  switch (answer.body.get("action")) {
    case "unsend":
    case "unsend_done":
      return unsend(visit, item, answer.body);
    case "insert":
      return insert(visit, item, answer.body);
    default:
      return send(visit, item, answer);
  }
}

/** Stays with the submission; "Send and mark done" leads to the next one. */
async function send(visit: MemberRequest, item: Item, { body, files, fault }: PostedWithFiles): Promise<Response> {
  const { to, settings, query } = visit;
  const { submission, at, list, form } = item;
  const { id, form_id } = submission;
  const draft = draftOf(body);
  const idempotency_key = body.get("key") || undefined;
  let message_id: string;
  try {
    if (fault) throw fault;
    const message = await visit.call("composeMessage", {
      params: { form_id },
      body: {
        submission_id: id,
        text: draft.text,
        files: [...files],
        ...(draft.attachments.length > 0 && { attachments: [...draft.attachments] }),
        ...(idempotency_key && { idempotency_key }),
      },
    });
    message_id = message.id;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.code === "insufficient_scope") throw error;
    return itemScreen(visit, { ...draft, fault: error });
  }
  visit.note("reply", { team_id: form?.team_id ?? (await teamOf(visit, form_id)), form_id, ids: [id] });
  const isDone = body.get("action") === "send_done";
  const older = isDone ? (await besideOf(visit, submission)).older[0] : undefined;
  if (isDone) await workOf(visit, item, { read: true, state: "done" });
  const next = !isDone
    ? to(at, cameFrom(query))
    : older
      ? to(`/f/${older.form_id}/s/${older.id}`, cameFrom(query))
      : to(list);
  const act = isDone && submission.work.state !== "done" ? "unsend_done" : "unsend";
  return redirect(settings, next, noticeCookie(visit, "answered", 1, { form_id, act, ids: [id, message_id] }));
}

/** The page with the text again; the mail that a worker has already is gone. */
async function unsend(visit: MemberRequest, item: Item, body: URLSearchParams): Promise<Response> {
  const { t, to, settings, query } = visit;
  const { id: submission_id, form_id } = item.submission;
  const back = (what: string, n = 1): Response =>
    redirect(settings, to(item.at, cameFrom(query)), noticeCookie(visit, what, n));
  let taken: { text: string; files: number } | null;
  try {
    const id = body.get("message") ?? "";
    taken = await visit.call("takeMessageBack", { params: { form_id }, body: { submission_id, id } });
  } catch (error) {
    // Taken back before: the page was loaded again.
    if (error instanceof ApiError && error.code === "not_found") return back("unsend", 0);
    throw error;
  }
  if (!taken) return back("tooLate");
  const { team_id = await teamOf(visit, form_id) } = item.form ?? {};
  visit.note("unsend", { team_id, form_id, ids: [submission_id] });
  if (body.get("action") === "unsend_done") await workOf(visit, item, { state: "open" });
  const note = taken.files > 0 ? t.item.takenBackFiles() : t.item.takenBack();
  return itemScreen(visit, { text: taken.text, attachments: [], note });
}

/** Without a script, a saved reply goes to the end of the text. */
async function insert(visit: MemberRequest, item: Item, body: URLSearchParams): Promise<Response> {
  const draft = draftOf(body);
  const id = body.get("saved") ?? "";
  if (id === "") return itemScreen(visit, draft);
  try {
    const text = await filled(visit, item, id);
    return itemScreen(visit, {
      ...draft,
      text: draft.text.trim() === "" ? text : `${draft.text.trimEnd()}\n\n${text}`,
    });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return itemScreen(visit, { ...draft, fault: error });
  }
}

/** A saved reply with its tags filled in, for the script. */
export async function savedText(visit: MemberRequest): Promise<Response> {
  const text = await filled(visit, await itemOf(visit), visit.params["reply_id"] ?? "");
  return textResponse(text, 200, { "content-type": "text/plain; charset=utf-8", ...privateHeaders(visit.settings) });
}

/** Tags get only values that the person may see: they read the text before it goes out. */
async function filled(visit: MemberRequest, { submission }: Item, id: string): Promise<string> {
  const { id: submission_id, form_id, created_at, fields } = submission;
  const seen = { submission: { id: submission_id, created_at }, fields: [...fields] };
  return (await visit.call("fillSavedReply", { params: { form_id }, body: { id, ...seen } })).text;
}

const draftOf = (body: URLSearchParams): Draft => ({
  text: tidy(body.get("text") ?? ""),
  attachments: body.getAll("attachments"),
});

const workOf = (visit: MemberRequest, { submission: { id, form_id } }: Item, body: object) =>
  visit.call("updateSubmission", { params: { form_id, submission_id: id }, body });
