import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { SavedReply } from "../../../model/saved.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { icon } from "../layout/icons.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { tidy } from "../settings/tidy.ts";
import { teamChoice, teamIdOf, teamOf } from "../team.ts";
import type { MemberRequest } from "../visit.ts";
import { labelled } from "./_labelled.ts";

/** A reply as its form has it; the id is empty for a new one. */
interface Draft extends SavedReply {
  readonly fault?: ApiError;
}
const blank: Draft = { id: "", name: "", text: "" };

/** The saved replies of a team, and the form of one. */
export async function repliesScreen(visit: MemberRequest, draft?: Draft): Promise<Response> {
  const { t, to, query } = visit;
  const r = t.replies;
  const team = await teamOf(visit);
  const { data } = await visit.call("listSavedReplies", { query: { team_id: team.id } });
  const [edited, removed] = [query.get("edit"), query.get("delete")].map((id) => data.find((one) => one.id === id));
  if (removed && !draft) return confirmDelete(visit, team.id, removed);
  const shown = draft ?? edited ?? blank;
  const list =
    data.length === 0
      ? html`<div class="empty">${icon("tray")}<h2>${r.none()}</h2><p>${r.noneHelp()}</p></div>`
      : html`<table class="lines"><caption class="sr">${r.title()}</caption><thead><tr>${[r.name(), r.text(), r.edit()].map((text) => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>${data.map((one) => line(visit, team.id, one))}</tbody></table>`;
  const isNew = shown.id === "";
  const content = html`<div class="head"><h1>${r.title()}</h1>${await teamChoice(visit, "/replies", team.id)}</div><p class="muted pad">${r.help()}</p>${list}<div class="narrow"><h2 id="form">${isNew ? r.add() : r.change({ name: shown.name })}</h2>${replyForm(visit, team.id, shown)}${
    !isNew && html`<p><a href="${to("/replies", { team: team.id })}">${t.bulk.cancel()}</a></p>`
  }</div>`;
  return page(visit, { title: r.title(), content, status: draft?.fault?.status ?? 200 });
}

/** A text may have 20,000 characters. */
const SHOWN = 160;

function line({ t, to }: MemberRequest, team: string, { id, name, text }: SavedReply): Html {
  const r = t.replies;
  return html`<tr><th scope="row" class="where"><bdi>${name}</bdi></th><td class="wrap" dir="auto">${text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text}</td><td><div class="acts"><a class="button" href="${to("/replies", { team, edit: id })}#form" aria-label="${r.editOf({ name })}">${r.edit()}</a> <a class="button danger" href="${to("/replies", { team, delete: id })}" aria-label="${r.deleteOf({ name })}">${r.delete()}</a></div></td></tr>`;
}

function replyForm(visit: MemberRequest, team: string, { id, name, text, fault }: Draft): Html {
  const r = visit.t.replies;
  const said = (param: string): string | null => (fault?.param === param ? faultText(visit, fault) : null);
  const other = fault && fault.param !== "name" && fault.param !== "text";
  return html`<form method="post" action="${visit.to("/replies", { team })}">${other && html`<p class="fault" role="alert">${faultText(visit, fault)}</p>`}<input type="hidden" name="id" value="${id}">${labelled(
    { id: "name", label: r.name(), fault: said("name") },
    (attributes) => html`<input ${attributes} required maxlength="128" value="${name}" autocomplete="off" dir="auto">`,
  )}${labelled(
    { id: "text", label: r.text(), help: r.textHelp(), fault: said("text") },
    (attributes) =>
      html`<textarea ${attributes} rows="8" required maxlength="20000" dir="auto">${{ html: "\n" }}${text}</textarea>`,
  )}<p class="actions"><button class="button primary" name="action" value="save">${r.save()}</button></p></form>`;
}

function confirmDelete({ t, to, ...visit }: MemberRequest, team: string, { id, name }: SavedReply): Promise<Response> {
  const title = t.replies.deleteTitle({ name });
  const content = html`<div class="question"><h1>${title}</h1><form method="post" action="${to("/replies", { team })}"><input type="hidden" name="id" value="${id}"><p class="actions"><button class="button danger-fill" name="action" value="delete">${t.replies.delete()}</button><a class="button" href="${to("/replies", { team })}">${t.bulk.cancel()}</a></p></form></div>`;
  return page({ t, to, ...visit }, { title, content });
}

/** Keeps, changes or deletes a reply. */
export async function repliesAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  // Each character of a text may take nine bytes.
  const body = await posted(exchange.request, { bytes: 256 * 1024, values: 10 });
  const team_id = teamIdOf(visit);
  const [id, name, text] = ["id", "name", "text"].map((key) => tidy(body.get(key) ?? "")) as [string, string, string];
  const params = { reply_id: id };
  const back = (what: string): Response =>
    redirect(settings, to("/replies", { team: team_id }), noticeCookie(visit, what));
  if (body.get("action") === "delete") {
    await visit.call("deleteSavedReply", { params });
    return back("replyDeleted");
  }
  try {
    if (id === "") await visit.call("createSavedReply", { body: { name, text, team_id } });
    else await visit.call("updateSavedReply", { params, body: { name, text } });
    return back("replySaved");
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_parameter") throw error;
    return repliesScreen(visit, { id, name, text, fault: error });
  }
}
