import { html } from "../../../lib/html.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";

const YEAR = 365 * 24 * 60 * 60;

/** The list of keys, and a switch (WCAG 2.1.4). */
export function shortcutsScreen(visit: MemberRequest): Promise<Response> {
  const { t, to, cookies, exchange } = visit;
  const s = t.shortcuts;
  const isOff = cookies.read(exchange.request, "keys") === "off";
  const keys: readonly (readonly [string, string])[] = [
    ["j k", s.move()],
    ["o Enter", s.open()],
    ["u", s.up()],
    ["x", s.select()],
    ["e", s.done()],
    ["a", s.assign()],
    ["l", s.label()],
    ["z", s.undo()],
    ["U", s.unread()],
    ["!", s.spam()],
    ["#", s.delete()],
    ["r", s.reply()],
    ["/", s.search()],
    ["g+i", s.goInbox()],
    ["g+s", s.goSpam()],
    ["g+d", s.goDeliveries()],
    ["Ctrl+K ⌘+K", s.commands()],
    ["?", s.help_key()],
  ];
  const kbd = (combination: string) =>
    combination.split(" ").map((one) => html`<kbd dir="ltr">${one.replace("+", " ")}</kbd> `);
  const content = html`<div class="narrow"><h1>${s.title()}</h1><p>${s.help()}</p><table class="keys"><caption class="sr">${s.title()}</caption><thead><tr><th scope="col">${s.key()}</th><th scope="col">${s.does()}</th></tr></thead><tbody>${keys.map(
    ([key, does]) => html`<tr><th scope="row">${kbd(key)}</th><td>${does}</td></tr>`,
  )}</tbody></table><form method="post" action="${to("/shortcuts")}"><p class="actions"><button class="button" name="keys" value="${isOff ? "on" : "off"}">${isOff ? s.on() : s.off()}</button></p><p class="muted">${s.state()}</p></form></div>`;
  return page(visit, { title: s.title(), content });
}

/** Switches them off or on in this browser. */
export async function shortcutsAct(visit: MemberRequest): Promise<Response> {
  const { to, cookies, exchange, settings } = visit;
  const isOff = (await posted(exchange.request)).get("keys") !== "on";
  const answer = redirect(settings, to("/shortcuts"), noticeCookie(visit, isOff ? "shortcutsOff" : "shortcutsOn"));
  answer.headers.append("set-cookie", cookies.write("keys", isOff ? "off" : "on", { seconds: YEAR, readable: true }));
  return answer;
}
