import { type Html, html } from "../../../lib/html.ts";
import { mayAll } from "../roles.ts";
import type { MemberRequest } from "../visit.ts";

/** Links to the pages about teams, for whoever may open them. */
export function menu(visit: MemberRequest): Html[] {
  const { t, to, can, has, member } = visit;
  const whole = !member.caller.form_ids;
  const all = [
    { part: "team", text: t.team.menu(), may: whole && mayAll(member) },
    { part: "keys", text: t.keys.menu(), may: whole && can("keys") },
    { part: "replies", text: t.replies.menu(), may: whole && has("submissions:read", "submissions:write") },
    { part: "email-servers", text: t.server.menu(), may: whole && can("email_servers") },
    { part: "suppressions", text: t.suppressions.title(), may: whole && mayAll(member) },
    { part: "audit", text: t.audit.menu(), may: whole && mayAll(member) },
    { part: "people", text: t.people.menu(), may: has("forms:read", "submissions:read") },
  ];
  const operating = member.operator ? [html`<a href="${to("/operator")}">${t.operator.teams()}</a>`] : [];
  const own = all
    .filter(({ part, may }) => may && visit.shows(part))
    .map(({ part, text }) => html`<a href="${to(`/${part}`)}">${text}</a>`);
  return [...operating, ...own];
}
