import { DAY_MS, HOUR_MS, iso } from "../../../lib/clock.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import { redirect } from "../answer.ts";
import { stillOwn } from "../bulk.ts";
import { cameFrom } from "../filters.ts";
import type { Item } from "../item.ts";
import { noticeCookie, type Undoable } from "../layout/notice.ts";
import { tabs } from "../layout/tabs.ts";
import { longTime } from "../layout/time.ts";
import type { Answers, MemberRequest } from "../visit.ts";

/** Acts that take a value along, and leave the submission on the screen. */
const workActs = ["assign", "label", "unlabel", "snooze", "note", "delete_note"] as const;
type WorkAct = (typeof workActs)[number];

export const isWorkAct = (name: string | null): name is WorkAct => workActs.some((known) => known === name);

const NOBODY = "none";
const snoozes = { hours: 3 * HOUR_MS, tomorrow: DAY_MS, week: 7 * DAY_MS } as const;

/** Links to the open ones, the person's own, the snoozed and the done ones of a list. */
export function workViews({ t, to, query }: MemberRequest, here: string): Html | null {
  if (query.has("status") && query.get("status") !== "inbox") return null;
  const [state, assignee] = [query.get("state"), query.get("assignee")];
  const tab = (text: string, params: Readonly<Record<string, string>>) => ({
    text,
    href: to(here, new URLSearchParams(params)),
    current: (params["state"] ?? null) === state && (params["assignee"] ?? null) === assignee,
  });
  return tabs(t.work.title(), [
    tab(t.work.all(), {}),
    tab(t.work.open(), { state: "open" }),
    tab(t.work.mine(), { state: "open", assignee: "me" }),
    tab(t.work.snoozed(), { state: "snoozed" }),
    tab(t.work.done(), { state: "done" }),
  ]);
}

/** Who works on a submission, its labels and its notes, what was done, and the controls for it. */
export async function workSection(visit: MemberRequest, { submission, at }: Item): Promise<Html> {
  const { t, to, query, has } = visit;
  const { work, form_id, id, trash } = submission;
  const done = await visit.call("listActivities", { params: { form_id }, body: { id } });
  const state = html`<dl class="details"><div><dt>${t.work.state()}</dt><dd>${t.work[work.snoozed_until ? "snoozed" : work.state]()}${
    work.snoozed_until && html` · ${longTime(visit, work.snoozed_until)}`
  }</dd></div><div><dt>${t.work.assignee()}</dt><dd><bdi>${work.assignee?.name ?? t.work.nobody()}</bdi></dd></div>${
    work.labels.length > 0 &&
    html`<div><dt>${t.work.labels()}</dt><dd>${work.labels.map((label) => html`<bdi class="pill">${label}</bdi> `)}</dd></div>`
  }</dl>`;
  const controls = has("submissions:write") && !trash && forms(visit, submission, done, to(at, cameFrom(query)));
  return html`<section class="work"><h2>${t.work.title()}</h2>${state}${controls}${activity(visit, done, to(at, cameFrom(query)))}</section>`;
}

type Activities = Answers["listActivities"];

function forms(visit: MemberRequest, { work }: HostSubmission, done: Activities, action: string): Html {
  const { t } = visit;
  const { id, name } = visit.member.user;
  const people = new Map(done.filter(({ author }) => author.id !== "").map(({ author }) => [author.id, author.name]));
  if (work.assignee) people.set(work.assignee.id, work.assignee.name);
  people.delete(id);
  const option = (value: string, text: string): Html => html`<option value="${value}">${text}</option>`;
  const form = (act: WorkAct, text: string, key: string, control: Html): Html =>
    html`<form method="post" action="${action}" class="inline">${control}<button class="button" name="action" value="${act}"${key !== "" && html` data-key="${key}"`}>${text}</button></form>`;
  return html`<div class="acts">${form(
    "assign",
    t.work.assign(),
    "a",
    html`<label class="sr" for="assignee">${t.work.assignee()}</label><select id="assignee" name="assignee">${option(JSON.stringify({ id, name }), t.work.me())}${[
      ...people,
    ].map(([one, text]) =>
      option(JSON.stringify({ id: one, name: text }), text),
    )}${option(NOBODY, t.work.nobody())}</select>`,
  )}${form(
    "label",
    t.work.label(),
    "l",
    html`<label class="sr" for="label">${t.work.labels()}</label><input id="label" name="label" required maxlength="160" autocomplete="off" dir="auto">`,
  )}${
    work.labels.length > 0 &&
    form(
      "unlabel",
      t.work.unlabel(),
      "",
      html`<label class="sr" for="unlabel">${t.work.labels()}</label><select id="unlabel" name="label">${work.labels.map((label) => option(label, label))}</select>`,
    )
  }${form(
    "snooze",
    t.work.snooze(),
    "",
    html`<label class="sr" for="until">${t.work.until()}</label><select id="until" name="until">${option("hours", t.work.hours())}${option("tomorrow", t.work.tomorrow())}${option("week", t.work.week())}</select>`,
  )}</div><form method="post" action="${action}"><div class="field"><label for="note">${t.work.note()}</label><textarea id="note" name="text" rows="3" data-doing="notes" required maxlength="10000" dir="auto"></textarea></div><p class="actions"><button class="button" name="action" value="note">${t.work.addNote()}</button></p></form>`;
}

/** What was noted and done, oldest first. */
function activity(visit: MemberRequest, done: Activities, action: string): Html | null {
  if (done.length === 0) return null;
  const { t, has, member } = visit;
  const says = t.did as Readonly<Record<string, (values: { what: string }) => string>>;
  return html`<h3>${t.work.activity()}</h3><ul class="activity">${done.map(({ id, author, what, text, created_at }) => {
    const about = what === "snooze" && text !== "" ? longTime(visit, text) : html`<bdi>${text}</bdi>`;
    const who = html`<bdi>${author.name || t.work.time()}</bdi> · ${longTime(visit, created_at)}`;
    if (what !== "note")
      return html`<li><span class="muted">${who}</span> ${Object.hasOwn(says, what) ? says[what]?.({ what: "" }) : what} ${text !== "" && about}</li>`;
    const isMine = has("submissions:write") && (author.id === member.user.id || member.caller.scopes === "all");
    return html`<li class="note"><span class="muted">${who}</span><p dir="auto" class="value">${text}</p>${
      isMine &&
      html`<form method="post" action="${action}"><input type="hidden" name="note_id" value="${id}"><button class="button quiet" name="action" value="delete_note">${t.work.deleteNote()}</button></form>`
    }</li>`;
  })}</ul>`;
}

interface Posted {
  readonly submission: HostSubmission;
  /** The path of its page. */
  readonly at: string;
  readonly body: URLSearchParams;
}

/** Assigns, labels, snoozes or notes, and shows the submission again. Throws `invalid_parameter`. */
export async function workAct(visit: MemberRequest, { submission, at, body }: Posted): Promise<Response> {
  const { to, settings, query } = visit;
  const act = body.get("action") as WorkAct;
  const { id, form_id } = submission;
  const params = { form_id, submission_id: id };
  const back = (what: string): Response => redirect(settings, to(at, cameFrom(query)), noticeCookie(visit, what));
  if (act === "note") {
    await visit.call("createNote", { params, body: { text: body.get("text") ?? "" } });
    return back("note");
  }
  if (act === "delete_note") {
    await visit.call("deleteNote", { params: { ...params, note_id: body.get("note_id") ?? "" } });
    return back("delete_note");
  }
  const change: { assignee?: unknown; label?: string; snoozed_until?: string } = {
    assign: () => ({ assignee: personIn(body.get("assignee")) }),
    label: () => ({ label: body.get("label") ?? "" }),
    unlabel: () => ({ label: body.get("label") ?? "" }),
    snooze: () => ({ snoozed_until: untilOf(visit, body.get("until") ?? "") }),
  }[act]();
  const isUndo = body.get("undo") === "1";
  // Its time may have come before it is snoozed again.
  const isOver =
    isUndo && change.snoozed_until !== undefined && Date.parse(change.snoozed_until) <= visit.core.clock.now();
  const ids = isUndo ? await stillOwn(visit, form_id, act, [id], body.get("label")) : [id];
  const { changed } =
    ids.length === 0
      ? { changed: 0 }
      : await visit.call("bulkSubmissions", {
          params: { form_id },
          body: isOver ? { action: "reopen", ids } : { action: act, ids, ...change },
        });
  const undo = isUndo || changed === 0 ? null : undoOf(submission, act, body);
  return redirect(settings, to(at, cameFrom(query)), noticeCookie(visit, act, changed, undo));
}

/** The act that takes one of these back: the person, the time or the state from before it, or the label that it set or removed. */
function undoOf({ form_id, id, work }: HostSubmission, act: WorkAct, body: URLSearchParams): Undoable | null {
  const one = { form_id, ids: [id] };
  const label = body.get("label") ?? "";
  switch (act) {
    case "assign":
      return { ...one, act: "assign", value: work.assignee ? JSON.stringify(work.assignee) : NOBODY };
    case "label":
      return { ...one, act: "unlabel", value: label };
    case "unlabel":
      return { ...one, act: "label", value: label };
    case "snooze":
      if (work.snoozed_until) return { ...one, act: "snooze", value: work.snoozed_until };
      return { ...one, act: work.state === "done" ? "done" : "reopen" };
    default:
      return null;
  }
}

function personIn(text: string | null): unknown {
  if (text === null || text === NOBODY) return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The time that a choice names, or the time itself. */
function untilOf({ core }: MemberRequest, name: string): string {
  if (/^\d{4}-\d\d-\d\dT/.test(name)) return name;
  return iso(
    core.clock.now() + (Object.hasOwn(snoozes, name) ? snoozes[name as keyof typeof snoozes] : snoozes.tomorrow),
  );
}
