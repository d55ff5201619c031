import type { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import { prefixedId } from "../../../lib/id.ts";
import type { Message } from "../../../model/messages.ts";
import { faultText } from "../faults.ts";
import { cameFrom } from "../filters.ts";
import type { Item } from "../item.ts";
import { longTime } from "../layout/time.ts";
import { replyAddress } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";

/** An answer that could not be sent, and why. */
export interface Draft {
  readonly text: string;
  readonly fault: ApiError;
}

/** What was written to and by the sender of a submission, and a form for the next answer. */
export async function threadOf(visit: MemberRequest, item: Item, draft?: Draft): Promise<Html | null> {
  const { submission, form } = item;
  // Nobody answers what is in the trash.
  if (submission.trash) return null;
  const params = { form_id: submission.form_id, submission_id: submission.id };
  const { data } = await visit.call("listMessages", { params });
  const address = replyAddress(submission);
  const composes = form !== null && address !== null && visit.has("submissions:write");
  if (data.length === 0 && !composes) return null;
  return html`<section class="thread"><h2>${visit.t.item.conversation()}</h2>${
    data.length > 0 && html`<ol class="messages">${data.map((message) => entry(visit, message))}</ol>`
  }${composes && composer(visit, item, address, draft)}</section>`;
}

function entry(visit: MemberRequest, message: Message): Html {
  const { direction, author, from, text, attachments, created_at } = message;
  const who = direction === "out" ? author?.name || from : from;
  return html`<li class="${direction}" id="m-${message.id}"><p class="muted"><bdi>${who}</bdi> · ${longTime(visit, created_at)} · ${stateOf(visit, message)}</p><div class="value" dir="auto">${text}</div>${
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

function composer(visit: MemberRequest, { at }: Item, address: string, draft?: Draft): Html {
  const { t, to, query } = visit;
  const fault = draft && html`<p class="fault" role="alert" id="reply-fault">${faultText(visit, draft.fault)}</p>`;
  // Posted with the answer, so that pressing the button twice sends it once.
  const key = prefixedId("req");
  return html`<form method="post" class="composer" id="reply" action="${to(`${at}/reply`, cameFrom(query))}"><input type="hidden" name="key" value="${key}"><label for="reply-text">${t.item.answer({ address })}</label>${fault}<textarea id="reply-text" name="text" rows="6" required maxlength="50000"${fault && html` aria-describedby="reply-fault" aria-invalid="true"`}>${{ html: "\n" }}${draft?.text ?? ""}</textarea><p class="actions"><button class="button primary" name="action" value="send">${t.item.send()}</button><button class="button" name="action" value="send_done">${t.item.sendDone()}</button></p></form>`;
}
