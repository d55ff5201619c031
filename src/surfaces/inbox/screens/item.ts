import { type Html, html } from "../../../lib/html.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import { redirect } from "../answer.ts";
import { besideOf } from "../beside.ts";
import { posted } from "../body.ts";
import { change } from "../bulk.ts";
import { type Act, actOf } from "../bulk-actions.ts";
import { cameFrom } from "../filters.ts";
import { type Item, itemOf, readBy } from "../item.ts";
import { icon } from "../layout/icons.ts";
import { noticeCookie, snoozedIn, type Undoable, undoable } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { tabs } from "../layout/tabs.ts";
import { longTime } from "../layout/time.ts";
import { answered, LinksSchema } from "../options.ts";
import { thereIn } from "../presence.ts";
import { conditionLike } from "../settings/rule-like.ts";
import { summaryOf } from "../summary.ts";
import type { MemberRequest } from "../visit.ts";
import { besideList } from "./_beside.ts";
import { blockAct, cardOf, isBlocking } from "./_card.ts";
import { replyLink } from "./_reply.ts";
import { columned } from "./_rows.ts";
import { itemTabs } from "./_tabs.ts";
import type { Draft } from "./_thread.ts";
import { isWorkAct, workAct, workSection } from "./_work.ts";
import { addsRules } from "./rule.ts";

/** One submission; with the answer that is being written, if there is one. */
export async function itemScreen(visit: MemberRequest, draft?: Draft): Promise<Response> {
  const { t, to, query } = visit;
  const found = await itemOf(visit);
  const asked = query.get("confirm");
  if (asked === "delete" || asked === "delete_forever") return confirmDelete(visit, found, asked);
  const { form, at } = found;
  const submission = await readBy(visit, found.submission);
  const team_id = form?.team_id ?? (await teamOf(visit, submission.form_id));
  visit.note("read", { team_id, form_id: submission.form_id, ids: [submission.id] });
  const from = columned(visit, form ?? undefined)(submission).from || summaryOf(submission).from || submission.id;
  const known = itemTabs.filter(({ needs }) => visit.has(...needs));
  const tab = known.find(({ name }) => name === query.get("tab")) ?? known[0];
  const filter = cameFrom(query);
  const at_ = (name: string): string => {
    const params = new URLSearchParams(filter);
    if (name !== "message") params.set("tab", name);
    return to(at, params);
  };
  const links = known.map(({ name, text }) => ({ text: text(t), href: at_(name), current: tab?.name === name }));
  const isLive = form !== null && !submission.trash && visit.shows("presence");
  const opened: Item = { ...found, submission };
  const side = (one: HostSubmission | undefined, way: "prev" | "next", text: string): Html =>
    one === undefined
      ? html`<span class="button quiet off">${icon(way === "prev" ? "back" : "next")}</span>`
      : html`<a class="button quiet" rel="${way}" href="${to(`/f/${one.form_id}/s/${one.id}`, filter)}" aria-label="${text}" title="${text}" data-key="${way === "prev" ? "k" : "j"}">${icon(way === "prev" ? "back" : "next")}</a>`;
  const isMessage = tab?.name === "message";
  const showTab = async (): Promise<readonly [Item, Html | null]> => {
    const there = isLive ? await thereIn(visit, form.id, arrivalOf(submission, draft)) : null;
    const item = { ...opened, there: there?.[submission.id]?.says ?? "" };
    return [item, tab ? await tab.show(visit, item, draft) : null];
  };
  const content = async (): Promise<Html> => {
    // At once: each is a round trip or more to the database.
    const [beside, [item, shown], card, work] = await Promise.all([
      besideOf(visit, submission),
      showTab(),
      isMessage ? cardOf(visit, opened) : null,
      isMessage ? workSection(visit, opened) : null,
    ]);
    return html`<div class="split">${besideList(visit, item, beside)}<article class="item" data-submission-id="${submission.id}"><div class="item-bar"><a class="button quiet" href="${backTo(visit, item)}" data-key="u">${icon("back")}${t.item.back()}</a>${thereAt(item)}${side(beside.newer[0], "prev", t.item.previous())}${side(beside.older[0], "next", t.item.next())}</div><header class="item-head"><h1><bdi>${from}</bdi></h1><p class="muted"><bdi>${form?.name ?? t.item.formGone()}</bdi> · ${longTime(visit, submission.created_at)}</p>${buttons(visit, item)}${hostLinks(visit, submission)}${tabs(t.item.title({ name: from }), links)}</header>${
      shown
    }</article>${isMessage && html`<aside class="item about">${card}${work}</aside>`}</div>`;
  };
  return page(visit, {
    ...(draft?.fault && { status: draft.fault.status }),
    title: t.item.title({ name: from }),
    form_id: submission.form_id,
    content: content(),
    ...(isLive && { poll: to("/poll", { of: submission.form_id, item: submission.id }) }),
    script: html` data-form="${to(`/f/${submission.form_id}`)}"`,
  });
}

/** A person who opens a submission looks at it; with a text that came back, they write. */
const arrivalOf = ({ id }: HostSubmission, draft: Draft | undefined) =>
  ({ id, doing: draft?.text ? "answers" : "looks", arrives: true }) as const;

/** The others who are at it. The script keeps it up to date. */
const thereAt = ({ submission: { id }, there }: Item): Html =>
  html`<span class="grow there" aria-live="polite" aria-atomic="true" data-there="${id}">${there}</span>`;

/** The list, at the line of a submission. */
const backTo = ({ to }: MemberRequest, { list, submission: { id } }: Pick<Item, "list" | "submission">): string =>
  `${to(list)}#s-${id}`;

/** The links of the host's own, which may lead anywhere but into a script. */
function hostLinks({ settings, person }: MemberRequest, submission: HostSubmission): Html | null {
  const { links } = settings;
  if (!links) return null;
  const found = answered("links", LinksSchema, () => links(submission, person));
  if (found.length === 0) return null;
  return html`<p class="host-links">${found.map(({ text, url }) => html`<a href="${url}" target="_blank" rel="noopener"><bdi>${text}</bdi></a> `)}</p>`;
}

function buttons(visit: MemberRequest, { submission, form, at }: Item): Html {
  const { t, to, query, has } = visit;
  const l = t.list;
  const act = (name: Act, text: string, key: string, kind = ""): Html =>
    html`<button class="button ${kind}" name="action" value="${name}" data-key="${key}">${text}</button>`;
  const { read, spam, trash, work } = submission;
  if (trash)
    return html`<div class="acts">${
      has("submissions:write") &&
      html`<form method="post" action="${to(at, cameFrom(query))}">${act("restore", t.work.restore(), "z")}${act("delete_forever", t.work.deleteForever(), "", "danger")}</form>`
    }</div>`;
  const acts =
    has("submissions:write") &&
    html`<form method="post" action="${to(at, cameFrom(query))}">${
      !spam && (work.state === "done" ? act("reopen", t.work.reopen(), "e") : act("done", t.work.doDone(), "e"))
    }${
      spam
        ? html`${act("mark_not_spam", l.notSpam(), "!")}${act("deliver", l.notSpamSend(), "")}`
        : act("mark_spam", l.toSpam(), "!")
    }${read ? act("mark_unread", l.unread(), "U") : act("mark_read", l.read(), "")}${act("delete", l.delete(), "#", "danger")}</form>`;
  return html`<div class="acts">${replyLink(visit, submission, form?.name ?? null, form !== null && has("submissions:write") && (query.get("tab") ?? "message") === "message")}${acts}<button class="button quiet js-only" type="button" data-print>${t.item.print()}</button>${form && ruleLink(visit, form.id, submission)}</div>`;
}

/** The way to a rule for submissions like this one: among the settings of the form, or for who may add one alone. */
function ruleLink(visit: MemberRequest, form_id: string, submission: HostSubmission): Html | null {
  const { t, to, has, shows, query } = visit;
  if (!addsRules(visit) || conditionLike(submission) === null) return null;
  const href =
    has("forms:write") && shows("settings")
      ? to(`/f/${form_id}/settings/routing`, { from: submission.id })
      : to(`/f/${form_id}/s/${submission.id}/rule`, cameFrom(query));
  return html`<a class="button quiet" href="${href}">${t.item.makeRule()}</a>`;
}

function confirmDelete(
  visit: MemberRequest,
  { at, submission, list }: Item,
  act: "delete" | "delete_forever",
): Promise<Response> {
  const { t, to, query } = visit;
  const content = html`<div class="question"><h1>${t.item.deleteTitle()}</h1><p>${t.item.deleteHelp()}</p><form method="post" action="${to(at, cameFrom(query))}"><input type="hidden" name="confirm" value="1"><p class="actions"><button class="button danger-fill" name="action" value="${act}">${t.list.delete()}</button><a class="button" href="${to(at, cameFrom(query))}">${t.bulk.cancel()}</a></p></form></div>`;
  return page(visit, {
    title: t.item.deleteTitle(),
    form_id: submission.form_id,
    content,
    script: html` data-back="${backTo(visit, { list, submission })}"`,
  });
}

/** Does one thing to a submission, and leads to the next older one; to the newer one after the oldest, and to the list after the last. */
export async function itemAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange, query } = visit;
  const body = await posted(exchange.request);
  const item = await itemOf(visit);
  const { submission, at, list, form } = item;
  const { id, form_id } = submission;
  const wanted = body.get("action");
  if (isBlocking(wanted)) return blockAct(visit, item, wanted);
  if (isWorkAct(body.get("action"))) return workAct(visit, { submission, at, body });
  const act = actOf(body.get("action"));
  const forGood = act === "delete_forever" || (act === "delete" && (await trashDaysOf(visit, form_id)) === 0);
  if (forGood && body.get("confirm") !== "1") {
    const params = cameFrom(query);
    params.set("confirm", act);
    return redirect(settings, to(at, params));
  }
  const isUndo = body.get("undo") === "1";
  const stays = isUndo || act === "mark_read" || act === "reopen" || act === "restore";
  // Read before it leaves the list.
  const { older, newer } = stays ? { older: [], newer: [] } : await besideOf(visit, submission);
  const next = older[0] ?? newer[0];
  const changed = await change(visit, form_id, { act, ids: [id], snoozed: snoozedIn(body), isUndo });
  if (changed > 0) visit.note(act, { team_id: form?.team_id ?? (await teamOf(visit, form_id)), form_id, ids: [id] });
  const page = stays
    ? to(at, cameFrom(query))
    : next
      ? to(`/f/${next.form_id}/s/${next.id}`, cameFrom(query))
      : to(list);
  return redirect(
    settings,
    page,
    noticeCookie(visit, act, changed, forGood || isUndo ? null : undoOf(submission, act)),
  );
}

/** The act that takes this one back. */
const undoOf = ({ form_id, id, work }: HostSubmission, act: Act): Undoable | null =>
  undoable(form_id, act, [id], work.snoozed_until ? { [id]: work.snoozed_until } : {});

const trashDaysOf = (visit: MemberRequest, form_id: string): Promise<number> =>
  visit.call("trashDaysOf", { params: { form_id } });

/** The team of a deleted form's submission is one of the person's own. */
export const teamOf = async (visit: MemberRequest, form_id: string): Promise<string> =>
  (await visit.call("teamOfForm", { body: { form_id } })) ?? visit.member.caller.team_ids?.[0] ?? "";
