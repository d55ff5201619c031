import { type Html, html } from "../../../lib/html.ts";
import { type Act, acts, undoOf } from "../bulk-actions.ts";
import { draftKey } from "../drafts.ts";
import type { MemberRequest, PublicRequest } from "../visit.ts";

const COOKIE = "done";
/** Long enough for the redirect that leads to the page. */
const SECONDS = 20;
const MOST_UNDONE = 100;

/**
 * The result of an action, in a cookie that the next page shows and removes. In the address, it would show up each time the
 * page is opened.
 */
export const noticeCookie = (
  { cookies }: PublicRequest,
  what: string,
  n = 1,
  undo: Undoable | Unsendable | null = null,
): Record<string, string> => {
  const more = undo && n > 0 ? `.${[undo.form_id, undo.act, ...undo.ids].join("~")}` : "";
  return { "set-cookie": cookies.write(COOKIE, `${what}.${n}${more}`, { seconds: SECONDS }) };
};

/** An act that takes the last one back. */
export interface Undoable {
  readonly form_id: string;
  readonly act: Act;
  readonly ids: readonly string[];
}

/** An answer that still waits, so that it can be taken back; `done` where it has ended the work on its submission. */
export interface Unsendable {
  readonly form_id: string;
  readonly act: "unsend" | "unsend_done";
  /** The submission and the message. */
  readonly ids: readonly [submission: string, message: string];
}

/** What takes an act on these submissions back; null where nothing does, or a cookie has no room for all of them. */
export function undoable(form_id: string, act: Act, ids: readonly string[]): Undoable | null {
  const undo = undoOf(act);
  return undo && ids.length <= MOST_UNDONE ? { form_id, act: undo, ids } : null;
}

/** The message of the last action, if it led to this page. */
export function notice(door: MemberRequest): Html | null {
  const [, what, n, undo] =
    /^(\w{1,20})\.(\d{1,9})(?:\.([\w~-]{1,3500}))?$/.exec(door.cookies.read(door.exchange.request, COOKIE) ?? "") ?? [];
  if (what === undefined) return null;
  door.exchange.extra["set-cookie"] ??= door.cookies.write(COOKIE, "", { seconds: 0 });
  const sentences = door.t.done as Readonly<Record<string, (values: { count: number }) => string>>;
  const say = Number(n) === 0 ? door.t.done.nothing : Object.hasOwn(sentences, what) ? sentences[what] : undefined;
  if (!say) return null;
  return html`<div class="notice" role="status">${say({ count: Number(n) })}${undo !== undefined && undoForm(door, undo)}</div>`;
}

function undoForm(visit: MemberRequest, undo: string): Html | null {
  const { t, to } = visit;
  const [form_id = "", act = "", ...ids] = undo.split("~");
  if (act === "unsend" || act === "unsend_done") {
    const [submission = "", message = ""] = ids;
    // The script forgets the text that it has kept, and takes the button away when the mail goes out.
    return html`<form method="post" action="${to(`/f/${form_id}/s/${submission}/reply`)}" class="undo" data-sent="${draftKey(visit.member, submission)}" data-seconds="10"><input type="hidden" name="message" value="${message}"><button class="button quiet" name="action" value="${act}" data-key="z">${t.work.undo()}</button></form>`;
  }
  if (!acts.some((known) => known === act) || ids.length === 0) return null;
  return html`<form method="post" action="${to(`/f/${form_id}/bulk`)}" class="undo"><input type="hidden" name="undo" value="1">${ids.map(
    (id) => html`<input type="hidden" name="ids" value="${id}">`,
  )}<button class="button quiet" name="action" value="${act}" data-key="z">${t.work.undo()}</button></form>`;
}
