import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import { namesOfTeams, signInByKey } from "../../api/sign-in.ts";
import { redirect } from "../answer.ts";
import { ownPath, posted } from "../body.ts";
import {
  cookieOf,
  entryOf,
  isElsewhere,
  isFramed,
  memberOfGuest,
  outPage,
  sessionOf,
  signsInElsewhere,
  strangerAnswer,
} from "../gate.ts";
import { plainPage } from "../layout/page.ts";
import { isDevelopersOwn, logDeveloperLink } from "../link.ts";
import { isAhead } from "../origin.ts";
import type { PublicRow } from "../rows.ts";
import { endSession, isSpent, newSession, readTicket, type Session, spend, type Ticket } from "../session.ts";
import type { PublicRequest } from "../visit.ts";

/** The pages of somebody who is not signed in. */
export const publicRows: readonly PublicRow[] = [
  { method: "GET", path: "/enter", show: async (door) => welcome(door, door.query.get("token") ?? "") },
  { method: "POST", path: "/enter", show: enter },
  { method: "GET", path: "/sign-in", show: (door) => signInPage(door, null) },
  { method: "POST", path: "/sign-in", show: signIn },
  { method: "GET", path: "/sign-out", show: signOutPage },
  { method: "POST", path: "/sign-out", show: signOut },
];

/** The address with the token must not be the referrer of anything. */
const secret = { "referrer-policy": "no-referrer" };

/** A link that works: who it is for, and a button, so that a mail scanner that follows links uses nothing up. */
async function welcome(door: PublicRequest, token: string): Promise<Response> {
  const { t, to, core } = door;
  const ticket = await readTicket(core, token);
  if (!ticket) return unreadable(door);
  if (core.clock.now() >= ticket.expires) return refused(door, t.gate.expired());
  if (await isSpent(core, ticket)) return refused(door, t.gate.used());
  if (ticket.embed && isFramed(door.exchange.request) && !isAhead(door.exchange.request))
    return enterWith(door, ticket);
  const content = html`<h1>${t.gate.welcome()}</h1><p>${t.gate.continueAs({ name: ticket.guest.name || ticket.guest.id })}</p><p>${await teamsOf(
    door,
    ticket,
  )}</p><form method="post" action="${to("/enter")}"><input type="hidden" name="token" value="${token}"><p class="actions"><button class="button primary">${t.gate.continue()}</button></p></form><p class="muted">${t.gate.once()}</p>`;
  // The button's own request must name its origin: the policy of the other pages.
  return plainPage(door, { title: t.gate.welcome(), content });
}

async function teamsOf(door: PublicRequest, { guest }: Ticket): Promise<string> {
  const { t, core } = door;
  if (guest.team_ids === null) return t.gate.everyTeam();
  const { caller } = await memberOfGuest(door, guest);
  const names = await namesOfTeams(core, (caller.team_ids ?? []).slice(0, 20));
  return t.gate.teams({ count: names.length, names: names.join(", ") });
}

async function enter(door: PublicRequest): Promise<Response> {
  const { t, core, exchange } = door;
  const ticket = await readTicket(core, (await posted(exchange.request)).get("token") ?? "");
  if (!ticket) return unreadable(door);
  if (core.clock.now() >= ticket.expires) return refused(door, t.gate.expired());
  return enterWith(door, ticket);
}

/** Uses a link up. In a frame that needs no press of a button: the host's own page has asked for it. */
async function enterWith(door: PublicRequest, ticket: Ticket): Promise<Response> {
  const { t, core, exchange } = door;
  if (!(await spend(core, ticket))) return refused(door, t.gate.used());
  const embed = ticket.embed === true && isFramed(exchange.request);
  return begin(door, await newSession(core, { guest: ticket.guest, ...(embed && { embed }) }), ticket.to);
}

/** A token that is none of ours. A developer has copied it in part; anybody else learns nothing. Throws `not_found`. */
function unreadable(door: PublicRequest): Promise<Response> {
  if (!isDevelopersOwn(door)) throw new ApiError("not_found");
  return refused(door, "This link is not complete", 404);
}

/** A link that works no more. Its developer gets a new one. */
async function refused(door: PublicRequest, title: string, status = 403): Promise<Response> {
  if (isDevelopersOwn(door)) await logDeveloperLink(door);
  return plainPage(door, {
    title,
    content: html`<h1>${title}</h1><p>${isDevelopersOwn(door) ? "A new link was just printed in the log of this server." : door.t.gate.another()}</p>`,
    status,
    headers: secret,
  });
}

async function begin(door: PublicRequest, session: Session, to: string): Promise<Response> {
  const headers = { "set-cookie": await cookieOf(door, session), ...secret };
  return redirect(door.settings, door.to(ownPath(to) ?? "/"), headers);
}

function signInPage(door: PublicRequest, fault: string | null, status = 200): Response | Promise<Response> {
  const { t, to, settings, query } = door;
  if (!settings.apiKeys) return strangerAnswer(door);
  const wrong: Html | null = fault === null ? null : html`<p class="error" id="fault" role="alert">${fault}</p>`;
  const described =
    fault === null ? html` aria-describedby="help"` : html` aria-invalid="true" aria-describedby="fault help"`;
  const content = html`<h1>${t.gate.signIn()}</h1><form method="post" action="${to("/sign-in", { next: query.get("next") })}"><div class="field"><label for="key">${t.gate.key()}</label>${wrong}<input id="key" name="key" type="password" required maxlength="200" autocomplete="current-password" spellcheck="false" dir="ltr" autofocus${described}><p class="muted" id="help">${t.gate.keyHelp()}</p></div><p class="actions"><button class="button primary">${t.gate.signIn()}</button></p></form>`;
  return plainPage(door, { title: t.gate.signIn(), content, status });
}

async function signIn(door: PublicRequest): Promise<Response> {
  const { settings, core, exchange, query } = door;
  if (!settings.apiKeys) return strangerAnswer(door);
  const key = (await posted(exchange.request)).get("key") ?? "";
  try {
    const key_id = await signInByKey(door.exchange, key);
    return await begin(door, await newSession(core, { key_id }), query.get("next") ?? "/");
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_key") throw error;
    return signInPage(door, door.t.gate.wrongKey(), 401);
  }
}

/** A button: a GET changes nothing, and a page of the host may link here. */
async function signOutPage(door: PublicRequest): Promise<Response> {
  if (!(await entryOf(door, door.exchange))) return strangerAnswer(door);
  const title = door.t.page.signOut();
  const content = html`<h1>${title}</h1><form method="post" action="${door.to("/sign-out")}"><p class="actions"><button class="button primary">${title}</button></p></form>`;
  return plainPage(door, { title, content });
}

/** Ends our own session. The host has to end its own. */
async function signOut(door: PublicRequest): Promise<Response> {
  const { t, to, core, cookies, exchange, settings } = door;
  const session = await sessionOf(door, exchange.request);
  if (session) await endSession(core, session);
  const headers = { "set-cookie": cookies.write(session?.embed ? cookies.framed : "", "", { seconds: 0 }) };
  if (settings.apiKeys) return redirect(settings, to("/sign-in"), headers);
  const { back } = settings.theme;
  const after = session || !back ? { href: to("/"), text: t.gate.again() } : { href: back.url, text: back.text };
  // The inbox leads a stranger on to the login page.
  const isAway = isElsewhere(door, after.href) || (session !== null && (await signsInElsewhere(door)));
  return isAway
    ? outPage(door, after, { headers })
    : redirect(settings, new URL(after.href, core.options.baseUrl).href, headers);
}
