import { type Html, html } from "../../../lib/html.ts";
import type { PublicRequest } from "../visit.ts";

const COOKIE = "done";
/** Long enough for the redirect that leads to the page. */
const SECONDS = 20;

/**
 * The result of an action, in a cookie that the next page shows and removes. In the address, it would show up each time the
 * page is opened.
 */
export const noticeCookie = ({ cookies }: PublicRequest, what: string, n = 1): Record<string, string> => ({
  "set-cookie": cookies.write(COOKIE, `${what}.${n}`, { seconds: SECONDS }),
});

/** The message of the last action, if it led to this page. */
export function notice(door: PublicRequest): Html | null {
  const [, what, n] = /^(\w{1,20})\.(\d{1,9})$/.exec(door.cookies.read(door.exchange.request, COOKIE) ?? "") ?? [];
  if (what === undefined) return null;
  door.exchange.extra["set-cookie"] ??= door.cookies.write(COOKIE, "", { seconds: 0 });
  const sentences = door.t.done as Readonly<Record<string, (values: { count: number }) => string>>;
  const say = Number(n) === 0 ? door.t.done.nothing : Object.hasOwn(sentences, what) ? sentences[what] : undefined;
  return say ? html`<p class="notice" role="status">${say({ count: Number(n) })}</p>` : null;
}
