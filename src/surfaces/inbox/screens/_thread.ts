import type { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import { prefixedId } from "../../../lib/id.ts";
import { MAX_MESSAGE_FILES, type Message, type ThreadMessage } from "../../../model/messages.ts";
import { addressIn } from "../../../model/sender.ts";
import { draftKey } from "../drafts.ts";
import { faultText } from "../faults.ts";
import { cameFrom } from "../filters.ts";
import type { Item } from "../item.ts";
import { longTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { tick } from "./_labelled.ts";

/** Characters of whole texts in one page: each mail of a long conversation quotes all mails before it. */
const MOST_WHOLE = 32_000;

/** Messages of a page that was not asked for all of them: nobody reads a hundred mails to answer the last one. */
const LATEST = 50;

/** An answer that is being written. */
export interface Draft {
  readonly text: string;
  /** The ids of the form's files that are ticked. */
  readonly attachments: readonly string[];
  /** The reason why it could not be sent. */
  readonly fault?: ApiError;
  /** A sentence above the text. */
  readonly note?: string;
}

/** What was written to and by the sender of a submission, and a form for the next answer. */
export async function threadOf(visit: MemberRequest, item: Item, draft?: Draft): Promise<Html | null> {
  const { submission, form } = item;
  // Nobody answers what is in the trash.
  if (submission.trash) return null;
  const isWhole = visit.query.get("thread") === "all";
  // One more tells whether there are others before them.
  const body = { submission_id: submission.id, ...(!isWhole && { latest: LATEST + 1 }) };
  const call = { params: { form_id: submission.form_id }, body };
  const address = addressIn(submission.fields);
  const composes = form !== null && address !== null && visit.has("submissions:write");
  const [data, answer] = await Promise.all([
    visit.call("listThread", call),
    composes ? composer(visit, item, address, draft) : null,
  ]);
  if (data.length === 0 && answer === null) return null;
  const shown = isWhole ? data : data.slice(-LATEST);
  const earlier = data.length > shown.length && earlierLink(visit, item);
  return html`<section class="thread"><h2>${visit.t.item.conversation()}</h2>${earlier}${
    shown.length > 0 && html`<ol class="messages">${entries(visit, item, shown)}</ol>`
  }${answer}</section>`;
}

/** The messages. The latest mails have their whole text below, folded, as far as it fits; the others a link to it. */
function entries(visit: MemberRequest, item: Item, data: readonly ThreadMessage[]): Html[] {
  const asked = visit.query.get("whole");
  let room = MOST_WHOLE;
  return data
    .toReversed()
    .map((message) => {
      const { id, whole } = message;
      if (whole === undefined) return entry(visit, message, null);
      const isAsked = id === asked;
      if (!isAsked && whole.length > room) return entry(visit, message, wholeLink(visit, item, id));
      if (!isAsked) room -= whole.length;
      return entry(
        visit,
        message,
        html`<details${isAsked && html` open`}><summary>${visit.t.item.wholeMail()}</summary><div class="value" dir="auto">${whole}</div></details>`,
      );
    })
    .reverse();
}

function earlierLink({ t, to, query }: MemberRequest, { at }: Item): Html {
  const address = new URLSearchParams([...cameFrom(query), ["thread", "all"]]);
  return html`<p><a href="${to(at, address)}">${t.item.earlierMessages()}</a></p>`;
}

function wholeLink({ t, to, query }: MemberRequest, { at }: Item, id: string): Html {
  const address = new URLSearchParams([...cameFrom(query), ["whole", id]]);
  if (query.get("thread") === "all") address.set("thread", "all");
  return html`<p><a href="${to(at, address)}#m-${id}">${t.item.wholeMail()}</a></p>`;
}

function entry(visit: MemberRequest, message: Message, whole: Html | null): Html {
  const { direction, author, from, text, attachments, created_at } = message;
  const who = direction === "out" ? author?.name || from : from;
  return html`<li class="${direction}" id="m-${message.id}"><p class="muted"><bdi>${who}</bdi> · ${longTime(visit, created_at)} · ${stateOf(visit, message)}</p><div class="value" dir="auto">${text}</div>${whole}${
    attachments.length > 0 &&
    html`<ul class="files">${attachments.map(({ name, url, size }) => html`<li><a href="${url}" download><bdi>${name}</bdi></a> <span class="muted">${visit.words.size(size)}</span></li>`)}</ul>`
  }</li>`;
}

function stateOf({ t }: MemberRequest, { status, code }: Message): string {
  switch (status) {
    case "queued":
      return t.item.queued();
    case "sent":
      return t.item.sent();
    case "received":
      return t.item.receivedMail();
    default:
      return code === "ERROR_EMAIL_SUPPRESSED" ? t.item.suppressed() : t.item.notSent({ code });
  }
}

async function composer(visit: MemberRequest, item: Item, address: string, draft?: Draft): Promise<Html> {
  const { t, to, query, member } = visit;
  const { at, submission } = item;
  const fault =
    draft?.fault && html`<p class="fault" role="alert" id="reply-fault">${faultText(visit, draft.fault)}</p>`;
  const note = draft?.note !== undefined && html`<p class="muted" role="status">${draft.note}</p>`;
  // Posted with the answer, so that pressing the button twice sends it once.
  const key = prefixedId("req");
  const [saved, attach] = await Promise.all([
    savedReplies(visit, item),
    files(visit, submission.form_id, draft?.attachments ?? []),
  ]);
  return html`<form method="post" enctype="multipart/form-data" class="composer" id="reply" action="${to(`${at}/reply`, cameFrom(query))}"><input type="hidden" name="key" value="${key}"><label for="reply-text">${t.item.answer({ address })}</label>${fault}${note}<p class="muted" role="status" data-restored hidden>${t.item.restored()}</p><textarea id="reply-text" name="text" rows="6" dir="auto" required maxlength="50000" data-doing="answers" data-draft="${draftKey(member, submission.id)}"${fault && html` aria-describedby="reply-fault" aria-invalid="true"`}>${{ html: "\n" }}${draft?.text ?? ""}</textarea><div class="helpers">${saved}${attach}</div><p class="actions"><button class="button primary" name="action" value="send">${t.item.send()}</button><button class="button" name="action" value="send_done">${t.item.sendDone()}</button><span class="there" data-there="${submission.id}">${item.there}</span></p></form>`;
}

/** A choice of the team's saved replies, and a button that puts one into the text. */
async function savedReplies(visit: MemberRequest, { form, at }: Item): Promise<Html | null> {
  const { t, to } = visit;
  const { data } = await visit.call("listSavedReplies", { query: { team_id: form?.team_id } });
  if (data.length === 0) return null;
  return html`<div class="saved"><label class="sr" for="saved">${t.replies.choose()}</label><select id="saved" name="saved"><option value="">${t.replies.choose()}</option>${data.map(
    ({ id, name }) => html`<option value="${id}">${name}</option>`,
  )}</select><button class="button" name="action" value="insert" formnovalidate data-insert="${to(`${at}/saved`)}">${t.replies.insert()}</button></div>`;
}

/** Files to upload, and those of the form that may go along. */
async function files(visit: MemberRequest, form_id: string, ticked: readonly string[]): Promise<Html> {
  const { t, words } = visit;
  const own = await visit.call("listAnswerFiles", { params: { form_id } });
  return html`<details class="attach"${ticked.length > 0 && html` open`}><summary>${t.item.attach()}</summary><label for="reply-files">${t.item.attachFiles()}</label><input id="reply-files" type="file" name="files" multiple aria-describedby="reply-files-help"><p class="muted" id="reply-files-help">${t.item.attachHelp({ count: MAX_MESSAGE_FILES })}</p>${
    own.length > 0 &&
    html`<fieldset class="field rows"><legend>${t.item.formFiles()}</legend><div class="ticks">${own.map(({ id, name, size }) => tick("attachments", id, `${name} · ${words.size(size)}`, ticked.includes(id)))}</div></fieldset>`
  }</details>`;
}
