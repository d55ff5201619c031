import { type Html, html } from "../../../lib/html.ts";
import type { Overview } from "../overview.ts";
import type { MemberRequest } from "../visit.ts";
import { icon } from "./icons.ts";
import { count } from "./time.ts";

/** Forms listed next to a page; another page lists them all. */
export const MOST = 30;

/** The content of the side bar. */
interface Beside {
  readonly list: Overview | null;
  /** Links to the views that somebody saved. */
  readonly views: Html | null;
  /** The id of the page's own form. */
  readonly current: string | undefined;
}

/** The forms with their unread counts, and the page's own form. */
export function nav(visit: MemberRequest, { list, views, current }: Beside): Html {
  const { t, to, has, shows } = visit;
  const { pathname } = visit.exchange.url;
  const here = (path: string): Html | false =>
    (pathname === new URL(to(path)).pathname || pathname.endsWith(visit.settings.path + path)) &&
    html` aria-current="page"`;
  const items = list?.forms.map(
    ({ id, name, unread, active }) =>
      html`<li><a href="${to(`/f/${id}`)}" data-form-id="${id}"${current === id && html` aria-current="true"`}><span class="name"><bdi>${name}</bdi></span>${
        !active && icon("pause", t.forms.paused())
      }${unread > 0 && html`<span class="badge" title="${t.page.unread({ count: unread })}"><span aria-hidden="true">${count(visit, unread)}</span><span class="sr"> ${t.page.unread({ count: unread })}</span></span>`}</a></li>`,
  );
  return html`<details class="side"><summary>${t.page.forms()}</summary><nav aria-label="${t.page.forms()}"><ul>${
    shows("all") &&
    has("submissions:read") &&
    html`<li><a href="${to("/all")}"${here("/all")}>${icon("tray")}<span class="name">${t.page.all()}</span></a></li>`
  }</ul>${views}<h2><a href="${to("/")}"${here("/")}>${t.page.forms()}</a></h2><ul>${items ?? []}${
    list?.more && html`<li><a href="${to("/")}">${t.page.more()}</a></li>`
  }${
    shows("new") &&
    has("forms:write") &&
    !visit.member.caller.form_ids &&
    html`<li><a href="${to("/new")}"${here("/new")}>${icon("plus")}<span class="name">${t.page.newForm()}</span></a></li>`
  }</ul></nav></details>`;
}
