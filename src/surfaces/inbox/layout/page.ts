import { type Html, html } from "../../../lib/html.ts";
import { type Extra, htmlAnswer } from "../answer.ts";
import { overviewOf } from "../overview.ts";
import { viewLinks } from "../screens/views.ts";
import type { MemberRequest, PublicRequest } from "../visit.ts";
import { icon, iconSheet } from "./icons.ts";
import { menu } from "./menu.ts";
import { MOST, nav } from "./nav.ts";
import { notice } from "./notice.ts";

/** The content of a page without sign-in. */
interface PlainView extends Extra {
  readonly title: string;
  readonly content: Html;
  /** Attributes of `body` for the script, such as where its keys lead. */
  readonly script?: Html;
}

/** The content of a page. */
export interface View extends Omit<PlainView, "content"> {
  /** A promise is awaited together with the list of forms. */
  readonly content: Html | Promise<Html>;
  /** The form that it belongs to, marked in the list of forms. */
  readonly form_id?: string;
  /** In place of the list of forms. */
  readonly nav?: Html;
  /** The address that the script polls; left out: that of every page. Null: none. */
  readonly poll?: string | null;
}

/** The skip link, and the files that pages load. */
const head = ({ t, core, assets, settings, to }: PublicRequest, title: string): Html =>
  html`<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no"><title>${t.page.title({ page: title, brand: core.options.brand.name })}</title><link rel="stylesheet" href="${to(assets.theme)}"><link rel="stylesheet" href="${to(assets.css)}">${
    settings.theme.css_url && html`<link rel="stylesheet" href="${settings.theme.css_url}">`
  }${
    settings.theme.favicon
      ? html`<link rel="icon" href="${settings.theme.favicon}">`
      : html`<link rel="icon" href="${to(assets.icon)}" data-badge="${to(assets.badge)}">`
  }<script src="${to(assets.js)}" defer></script></head>`;

/** The name of the site, or its logo. */
export function brand({ core, settings, to, t }: PublicRequest): Html {
  const { logo_url, logo_dark_url = logo_url } = settings.theme;
  const { name } = core.options.brand;
  const logo =
    logo_url === undefined
      ? html`<span class="brand-name">${name}</span>`
      : html`<img class="logo-light" src="${logo_url}" alt="${name}"><img class="logo-dark" src="${logo_dark_url}" alt="${name}">`;
  return html`<a class="brand" href="${to("/")}" title="${t.page.forms()}">${logo}</a>`;
}

const document = (door: PublicRequest, title: string, body: Html, extra: Extra): Response =>
  htmlAnswer(
    door.settings,
    html`<html lang="${door.words.tag}" dir="${door.words.dir}">${head(door, title)}${body}</html>`,
    extra,
  );

/** Tells an operator whose team they are in. */
function entered({ t, to, member }: MemberRequest): Html | null {
  const team = member.operator?.entered;
  if (!team) return null;
  return html`<form class="entered" method="post" action="${to("/operator/leave")}"><p>${t.operator.inTeam({ team: team.name })}</p><button class="button">${t.operator.leave()}</button></form>`;
}

/** A page with the list of forms next to it; in a frame without bars, the page alone. */
export async function page(visit: MemberRequest, view: View): Promise<Response> {
  const { t, to, member, settings, has, shows } = visit;
  if (visit.bare) return barePage(visit, view);
  const { back } = settings.theme;
  const search = visit.exchange.url.pathname.endsWith(`${settings.path}/all`) ? visit.query.get("words") : null;
  // At once: each is a round trip or more to the database.
  const [list, views, content] = await Promise.all([
    has("forms:read") ? overviewOf(visit, { limit: MOST, days: 0 }) : null,
    view.nav ? null : viewLinks(visit),
    view.content,
  ]);
  const unread = list?.forms.reduce((sum, form) => sum + form.unread, 0) ?? 0;
  const poll = has("submissions:read") && view.poll === undefined ? to("/poll") : view.poll;
  const body = html`<body data-unread="${unread}"${poll && html` data-poll="${poll}"`} data-copy="${t.item.copy()}" data-copied="${t.item.copied()}" data-offline="${t.page.offline()}" data-commands="${t.page.commands()}" data-none="${t.empty.match()}" data-leave="${t.page.close()}"${view.script ?? null}>${iconSheet}<a class="skip" href="#main">${t.page.skip()}</a><div class="app"><header class="top">${brand(visit)}${
    shows("all") &&
    has("submissions:read") &&
    html`<search><form action="${to("/all")}" class="find"><label class="sr" for="find">${t.page.searchAll()}</label>${icon("search")}<input id="find" type="search" name="words" value="${search ?? ""}" placeholder="${t.page.searchAll()}" maxlength="1000" autocomplete="off"></form></search>`
  }<details class="menu"><summary>${member.user.name || t.page.account({ name: member.user.id })}</summary><div class="drop">${
    back && html`<a href="${back.url}">${back.text}</a>`
  }${menu(visit)}${shows("shortcuts") && html`<a href="${to("/shortcuts")}" data-key="?">${t.page.shortcuts()}</a>`}${told(visit)}<form method="post" action="${to("/sign-out")}"><button class="link">${t.page.signOut()}</button></form></div></details></header>${view.nav ?? nav(visit, { list, views, current: view.form_id })}<main id="main" tabindex="-1">${entered(visit)}${notice(visit)}${content}</main></div></body>`;
  return document(visit, view.title, body, view);
}

/** Switches that the script keeps in the browser. */
const told = ({ t, has }: MemberRequest): Html | false =>
  has("submissions:read") &&
  html`<button type="button" class="link js-only" data-told="notice" data-blocked="${t.told.blocked()}" aria-pressed="false">${t.told.notice()}</button><button type="button" class="link js-only" data-told="sound" aria-pressed="false">${t.told.sound()}</button>`;

/** The page of a frame whose own page has the bars: the script tells that page of its height, its path and what is unread. */
async function barePage(visit: MemberRequest, view: View): Promise<Response> {
  const { t, to, settings } = visit;
  const [list, content] = await Promise.all([
    visit.has("forms:read") ? overviewOf(visit, { limit: 100, days: 0 }) : null,
    view.content,
  ]);
  const unread = list?.forms.reduce((sum, form) => sum + form.unread, 0) ?? 0;
  const frame = html` data-frame="${settings.embed?.origins.join(" ") ?? ""}" data-base="${to("/")}" data-unread="${unread}"${view.poll && html` data-poll="${view.poll}"`}`;
  const body = html`<body class="bare" data-copy="${t.item.copy()}" data-copied="${t.item.copied()}" data-offline="${t.page.offline()}"${frame}${view.script ?? null}>${iconSheet}<a class="skip" href="#main">${t.page.skip()}</a><main id="main" tabindex="-1">${entered(visit)}${notice(visit)}${content}</main></body>`;
  return document(visit, view.title, body, view);
}

/** A page for someone who is not signed in, or has no access to other pages. */
export function plainPage(door: PublicRequest, view: PlainView): Response {
  const body = html`<body class="plain"${view.script ?? null}>${iconSheet}<main id="main">${brand(door)}${view.content}</main></body>`;
  return document(door, view.title, body, view);
}
