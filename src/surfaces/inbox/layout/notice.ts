import { iso } from "../../../lib/clock.ts";
import { type Html, html } from "../../../lib/html.ts";
import { type Act, acts, undoOf } from "../bulk-actions.ts";
import { draftKey } from "../drafts.ts";
import { apiParams, cameFrom } from "../filters.ts";
import type { MemberRequest, PublicRequest } from "../visit.ts";
import { icon } from "./icons.ts";

const COOKIE = "done";
/** Long enough for the redirect that leads to the page. */
const SECONDS = 20;
const MOST_UNDONE = 100;
/** Browsers keep cookies of 4 KB. */
const MOST_CHARACTERS = 3_400;

/** Acts that take a value along, and the name of its control. */
const valued = { assign: "assignee", label: "label", unlabel: "label", snooze: "until" } as const;
type Valued = keyof typeof valued;

/** An act that takes the last one back. */
export interface Undoable {
  /** Null for submissions of several forms. */
  readonly form_id: string | null;
  readonly act: Act | Valued;
  /** Each with the time until which it was snoozed, in milliseconds of base 36, if it was: `id_time`. */
  readonly ids: readonly string[];
  /** The value from before the act: a person, a label or a time. */
  readonly value?: string;
}

/**
 * The result of an action, in a cookie that the next page shows and removes. In the address, it would show up each time the
 * page is opened. An act that a cookie has no room for can't be taken back.
 */
export function noticeCookie(
  { cookies }: PublicRequest,
  what: string,
  n = 1,
  undo: Undoable | Unsendable | null = null,
): Record<string, string> {
  const value = Buffer.from((undo && "value" in undo && undo.value) || "").toString("base64url");
  const more = undo && n > 0 ? `.${[undo.form_id ?? "", undo.act, value, ...undo.ids].join("~")}` : "";
  const kept = more.length > MOST_CHARACTERS ? "" : more;
  return { "set-cookie": cookies.write(COOKIE, `${what}.${n}${kept}`, { seconds: SECONDS }) };
}

/** An answer that still waits, so that it can be taken back; `done` where it has ended the work on its submission. */
export interface Unsendable {
  readonly form_id: string;
  readonly act: "unsend" | "unsend_done";
  /** The submission and the message. */
  readonly ids: readonly [submission: string, message: string];
}

/** The act that takes one on these submissions back; null where there is none, or they are too many. */
export function undoable(
  form_id: string | null,
  act: Act,
  ids: readonly string[],
  snoozed: Readonly<Record<string, string>> = {},
): Undoable | null {
  const undo = undoOf(act);
  if (!undo || ids.length === 0 || ids.length > MOST_UNDONE) return null;
  const time = (id: string): string => (snoozed[id] === undefined ? "" : `_${Date.parse(snoozed[id]).toString(36)}`);
  // Other acts leave them snoozed.
  const marked = act === "done" || act === "reopen" ? ids.map((id) => id + time(id)) : ids;
  return { form_id, act: undo, ids: marked };
}

/** The submissions of an undo that were snoozed, with the time of their return. */
export function snoozedIn(body: URLSearchParams): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of body.getAll("snoozed").slice(0, MOST_UNDONE)) {
    const [, id = "", time = ""] = /^(\w{1,64})_([0-9a-z]{1,9})$/.exec(entry) ?? [];
    if (id !== "") found.set(id, iso(Number.parseInt(time, 36)));
  }
  return found;
}

/** The message of the last action, if it led to this page, over the foot of the page: it moves nothing. */
export function notice(door: MemberRequest): Html | null {
  const [, what, n, undo] =
    /^(\w{1,20})\.(\d{1,9})(?:\.([\w~-]{1,3500}))?$/.exec(door.cookies.read(door.exchange.request, COOKIE) ?? "") ?? [];
  if (what === undefined) return null;
  door.exchange.extra["set-cookie"] = door.cookies.write(COOKIE, "", { seconds: 0 });
  const sentences = door.t.done as Readonly<Record<string, (values: { count: number }) => string>>;
  const say = Number(n) === 0 ? door.t.done.nothing : Object.hasOwn(sentences, what) ? sentences[what] : undefined;
  if (!say) return null;
  return html`<div class="toast" role="status"><span>${say({ count: Number(n) })}</span>${undo !== undefined && undoForm(door, undo)}<a class="button quiet" href="${here(door)}" data-close aria-label="${door.t.page.close()}" title="${door.t.page.close()}">${icon("close")}</a></div>`;
}

/** The address of this page, for whoever has no script: it shows the message no more. */
function here({ to, settings, exchange, query }: PublicRequest): string {
  const { pathname } = exchange.url;
  return to(pathname.slice(pathname.lastIndexOf(settings.path) + settings.path.length) || "/", query);
}

const isValued = (act: string): act is Valued => Object.hasOwn(valued, act);

/** A form, so that it works without a script. One submission is shown again where another one stands; a list stays as it is. */
function undoForm(visit: MemberRequest, undo: string): Html | null {
  const { t, to, exchange, query } = visit;
  const [form_id = "", act = "", value = "", ...ids] = undo.split("~");
  if (act === "unsend" || act === "unsend_done") {
    const [submission = "", message = ""] = ids;
    // The script forgets the text that it has kept, and takes the button away when the mail goes out.
    return html`<form method="post" action="${to(`/f/${form_id}/s/${submission}/reply`)}" class="undo" data-sent="${draftKey(visit.member, submission)}" data-seconds="10"><input type="hidden" name="message" value="${message}"><button class="button quiet" name="action" value="${act}" data-key="z">${t.work.undo()}</button></form>`;
  }
  if (!(isValued(act) || acts.some((known) => known === act)) || ids.length === 0) return null;
  const isOne = ids.length === 1 && form_id !== "" && (isValued(act) || exchange.url.pathname.includes(`/s/`));
  const at = isOne
    ? to(`/f/${form_id}/s/${ids[0]?.split("_")[0]}`, cameFrom(query))
    : to(form_id === "" ? "/all/bulk" : `/f/${form_id}/bulk`, apiParams(query));
  return html`<form method="post" action="${at}" class="undo"${!isOne && html` data-patch`}><input type="hidden" name="undo" value="1">${
    isValued(act)
      ? html`<input type="hidden" name="${valued[act]}" value="${Buffer.from(value, "base64url").toString()}">`
      : ids.map((one) => {
          const [id] = one.split("_");
          return html`<input type="hidden" name="ids" value="${id}">${one !== id && html`<input type="hidden" name="snoozed" value="${one}">`}`;
        })
  }<button class="button quiet" name="action" value="${act}" data-key="z">${t.work.undo()}</button></form>`;
}
