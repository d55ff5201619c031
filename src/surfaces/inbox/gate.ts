import { ApiError } from "../../errors.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { html } from "../../lib/html.ts";
import type { Exchange } from "../api/kernel.ts";
import { signedInKey, teamsOfLink } from "../api/sign-in.ts";
import { type Extra, redirect } from "./answer.ts";
import { plainPage } from "./layout/page.ts";
import { isDevelopersOwn, logDeveloperLink } from "./link.ts";
import type { MountedInbox } from "./mounted.ts";
import { faultOf, type Settings } from "./options.ts";
import { UserSchema } from "./options-people.ts";
import { type Member, memberOf } from "./roles.ts";
import { type Guest, isStale, readSession, type Session, written } from "./session.ts";
import type { PublicRequest } from "./visit.ts";

/** An admitted user, and the cookie that extends the session, if there is one. */
export interface Entry {
  readonly member: Member;
  readonly session: Session | null;
  readonly cookie: string | null;
}

/** The user: from the session of a link or key, otherwise from the host. Null for a stranger. */
export async function entryOf(mounted: MountedInbox, exchange: Exchange): Promise<Entry | null> {
  const session = await sessionOf(mounted, exchange.request);
  const known = session && (await memberOfSession(mounted, session));
  const member = known && (await asOperator(mounted, exchange.request, known));
  if (session && member) {
    return { member, session, cookie: isStale(mounted.core, session) ? await cookieOf(mounted, session) : null };
  }
  const user = await mounted.settings.authenticate?.(exchange.request);
  if (!user) return null;
  const parsed = UserSchema.safeParse(user, { reportInput: true });
  if (!parsed.success) {
    throw new TypeError(
      `[form-backend] inbox: \`authenticate\` returned a user whose ${faultOf(parsed.error, "member ")}`,
    );
  }
  return { member: await asOperator(mounted, exchange.request, memberOf(parsed.data)), session: null, cookie: null };
}

/** An operator, with the team that they have entered; anybody else as they are. */
const asOperator = async (mounted: MountedInbox, request: Request, member: Member): Promise<Member> =>
  member.user.role === "operator"
    ? (await import("./operator/entered.ts")).operatorOf(mounted, request, member)
    : member;

/** The session in a request's cookie, or null. */
export async function sessionOf({ core, cookies, settings }: MountedInbox, request: Request): Promise<Session | null> {
  const names = settings.embed ? ["", cookies.framed] : [""];
  for (const name of isFramed(request) ? names.reverse() : names) {
    const cookie = cookies.read(request, name);
    const session = cookie === null ? null : await readSession(core, cookie);
    if (session) return session;
  }
  return null;
}

/** True if the browser loads the page into a frame. */
export const isFramed = ({ headers }: Request): boolean => headers.get("sec-fetch-dest") === "iframe";

/** A session as a cookie. */
export async function cookieOf({ core, cookies }: MountedInbox, session: Session): Promise<string> {
  const { value, seconds } = await written(core, session);
  return cookies.write(session.embed ? cookies.framed : "", value, { seconds });
}

async function memberOfSession(mounted: MountedInbox, { guest, key_id }: Session): Promise<Member | null> {
  if (guest) return memberOfGuest(mounted, guest);
  return key_id === undefined ? null : memberOfKey(mounted, key_id);
}

/** A link to every team means those that there are by now. */
export async function memberOfGuest({ core }: MountedInbox, guest: Guest): Promise<Member> {
  return memberOf({ ...guest, team_ids: await teamsOfLink(core, guest.team_ids) });
}

/** The owner of a key. It is read on each request, so a revoked key is out at once. */
async function memberOfKey({ core, settings }: MountedInbox, id: string): Promise<Member | null> {
  if (!settings.apiKeys) return null;
  const key = await signedInKey(core, id);
  if (!key) return null;
  const { name, team_id, scopes, form_ids, without } = key;
  return memberOf(
    { id, name, team_ids: [team_id], scopes, form_ids },
    { auth: "api_key", id, ...(without && { without }) },
  );
}

/** The response to a stranger: the sign-in page, if there is one. Throws `not_found`, as if there were no inbox. */
export async function strangerAnswer(door: PublicRequest): Promise<Response> {
  const { settings, exchange, t } = door;
  // A login page would refuse the frame. Its session ended, or the browser keeps no cookie there.
  if (settings.embed && isFramed(exchange.request)) {
    const content = html`<h1>${t.frame.title()}</h1><p>${t.frame.help()}</p><p class="actions"><a class="button" href="${door.to("/")}" target="_blank" rel="noopener">${t.frame.open()}</a></p>`;
    return plainPage(door, { title: t.frame.title(), content, status: 404 });
  }
  if (settings.signIn) {
    const href = await loginOf(door, settings.signIn);
    const { method, headers } = exchange.request;
    // Browsers refuse to be sent from a form, or from a request of the script, to another site.
    const isRefused = isElsewhere(door, href) && (method === "POST" || headers.has("x-fragment"));
    return isRefused ? outPage(door, { href, text: t.gate.again() }, { status: 401 }) : redirect(settings, href);
  }
  if (isDevelopersOwn(door)) return developerPage(door);
  if (!settings.apiKeys) throw new ApiError("not_found");
  const { pathname, search } = exchange.url;
  const at = pathname.indexOf(settings.path);
  const path = pathname.slice(at + settings.path.length);
  // An answer could not be sent: the page that it was written on, where the browser still has it.
  const next =
    exchange.request.method === "GET" ? path + search : (/^(\/f\/\w+\/s\/\w+)\/reply$/.exec(path)?.[1] ?? "");
  return redirect(settings, door.to("/sign-in", { next: next === "/" ? "" : next }));
}

async function loginOf({ exchange, core }: PublicRequest, signIn: NonNullable<Settings["signIn"]>): Promise<string> {
  const place = await signIn(exchange.request);
  if (typeof place !== "string" || !canParseUrl(place, exchange.url.origin)) {
    throw new TypeError("[form-backend] inbox: `signIn` must return the address of your login page");
  }
  return new URL(place, core.options.baseUrl).href;
}

/** True if the login page of the host is on another origin than the inbox. */
export const signsInElsewhere = async (door: PublicRequest): Promise<boolean> =>
  door.settings.signIn !== undefined && isElsewhere(door, await loginOf(door, door.settings.signIn));

export const isElsewhere = ({ core }: PublicRequest, href: string): boolean =>
  new URL(href, core.options.baseUrl).origin !== new URL(core.options.baseUrl).origin;

/** Tells somebody that they are signed out, with a link where no redirect may lead. */
export const outPage = (
  door: PublicRequest,
  { href, text }: { readonly href: string; readonly text: string },
  extra: Extra,
): Response => {
  const title = door.t.gate.out();
  const content = html`<h1>${title}</h1><p class="actions"><a class="button primary" href="${href}">${text}</a></p>`;
  return plainPage(door, { title, content, ...extra });
};

/** Tells a developer how to enter; never shown in production. It is in English like the log that it speaks of. */
export async function developerPage(door: PublicRequest): Promise<Response> {
  await logDeveloperLink(door);
  const title = "Open the inbox from your terminal";
  const content = html`<div lang="en" dir="ltr"><h1>${title}</h1><p>A link that signs you in, once, was just printed in the log of this server.</p><p>Before you go to production, let people in with <code>authenticate</code> or <code>apiKeys</code> of <code>inbox({ … })</code>. Without them, this page is a 404 there.</p></div>`;
  return plainPage(door, { title, content, status: 404 });
}
