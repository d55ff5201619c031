import { domainToUnicode } from "node:url";
import type { FormCheckResult } from "../../core/options/form-check.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { textOfHtml } from "../../lib/html-text.ts";
import { stepwise } from "../../lib/turn.ts";
import type { HostForm } from "../../model/forms.ts";
import { demandsIn } from "./demands.ts";
import { folded, spellingsOf } from "./look-alikes.ts";

/** Names that phishing borrows most, by the label before the ending of their own domains. */
const BRANDS =
  /^(paypal|netflix|amazon|whatsapp|instagram|facebook|icloud|appleid|microsoft|microsoftonline|office365|outlook|google|gmail|linkedin|docusign|dropbox|coinbase|binance|metamask|trustwallet|blockchain|revolut|klarna|dhl|fedex|usps|santander|hsbc|barclays|wellsfargo|bankofamerica|sparkasse|postbank|credit-agricole|steamcommunity)$/;
/** Beside such a name, they turn a host into a place to log in. */
const LOGIN =
  /^(login|signin|logon|secure|security|verify|verification|account|accounts|konto|update|confirm|billing|auth|wallet|unlock|id|sso)$/;
/** Names of one owner in another country: `co.uk`, `com.br`. */
const SECOND = /^(co|com|net|org|gov|ac|or|ne)$/;
const URLS = /https?:\/\/[^\s"'<>()]{1,2048}/gi;
/** A text that names one host before a link to another, as `textOfHtml` writes it. */
const TOLD = /(\S{1,60}) \((https?:\/\/[^\s)]{1,2048})\)/g;
const HOST = /^(?:https?:\/\/)?((?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63})(?:[/:?#]\S*)?$/u;
/** Other names with a dot, such as Node.js, are no hosts. */
const SURELY =
  /^(?:https?:\/\/|www\.)|\.(?:com|org|net|gov|edu|bank|info|co|io|eu|uk|de|fr|es|it|nl|pl|pt|br|tr|jp|cn|il|sa)(?:[/:?#]|$)/i;
const PASSWORD = /<input\b[^>]{0,500}\btype\s*=\s*["']?\s*password/i;
/** Links of one form that are looked at. */
const MOST_LINKS = 200;

/**
 * Looks at all that a form tells a visitor: the page, the reply with its HTML, buttons and redirects. Finds texts that ask for a secret,
 * threats, and links that lead elsewhere than they say. It says so, and locks nothing: a person decides.
 */
export async function luresVisitors(form: HostForm): Promise<FormCheckResult | null> {
  const reason = await stepwise(lure(form), form.team_id);
  return reason === null ? null : { reason };
}

function* lure(form: HostForm): Generator<void, string | null> {
  const { page, redirect } = form.after_submit;
  const { auto_response: reply, self_email_notification: notice } = form;
  const texts: readonly (readonly [place: string, text: string])[] = [
    ["name", form.name],
    ["page", [page.headline, page.message, page.return_button.text, page.download_button.text].join("\n")],
    ["auto-response", [reply.subject, reply.template.message].join("\n")],
    ["auto-response's HTML", textOfHtml(reply.template.html)],
    ["notification's HTML", textOfHtml(notice.template.html)],
    [
      "message of a rule",
      form.validation.rules.flatMap(({ checks }) => checks.map(({ message }) => message)).join("\n"),
    ],
  ];
  yield;
  for (const html of [reply.template.html, notice.template.html])
    if (PASSWORD.test(html)) return "An email has a field for a password.";
  const addresses = [redirect.success_url, redirect.fail_url, page.return_button.url, page.download_button.url];
  const links = [
    ...addresses.filter((url) => url !== "").map((url) => ["form", url] as const),
    ...texts.flatMap(([place, text]) => [...text.matchAll(URLS)].map(([url]) => [place, url] as const)),
  ];
  for (const [place, url] of links.slice(0, MOST_LINKS)) {
    yield;
    const fault = faultOf(url);
    if (fault) return `A link of the ${place} ${fault}: ${url.slice(0, 200)}`;
  }
  for (const [place, text] of texts) {
    for (const [, shown = "", url = ""] of text.matchAll(TOLD)) {
      const named = HOST.exec(shown)?.[1];
      if (
        named &&
        SURELY.test(shown) &&
        canParseUrl(url) &&
        ownerOf(named.toLowerCase()) !== ownerOf(new URL(url).hostname)
      )
        return `A link of the ${place} says ${named} and leads to ${new URL(url).hostname}.`;
    }
    const demand = yield* demandsIn(text);
    if (demand) return `The ${place} ${demand}.`;
  }
  return null;
}

/** Why a link is one that people are cheated by; null for any other. */
function faultOf(url: string): string | null {
  if (!canParseUrl(url)) return null;
  const { hostname, username } = new URL(url);
  if (username !== "") return "hides its host behind a user name";
  if (/^\d+(\.\d+){3}$|^\[/.test(hostname)) return isOwnNetwork(hostname) ? null : "leads to a bare IP address";
  const host = domainToUnicode(hostname) || hostname;
  const labels = host.split(".");
  const owner = labels.at(-(SECOND.test(labels.at(-2) ?? "") ? 3 : 2)) ?? "";
  const isBrands = BRANDS.test(owner);
  for (const label of labels) {
    const bare = folded(label);
    if (label !== bare && /[a-z]/.test(label) && /[^\p{Script=Latin}\p{N}-]/u.test(label))
      return "mixes scripts in its host";
    if (isBrands) continue;
    const words = label.split("-");
    for (const word of [...words, label]) {
      // A figure one is an l as often as an i.
      const brand = [word, word.replaceAll("1", "l")].flatMap(spellingsOf).find((one) => BRANDS.test(one));
      if (!brand) continue;
      if (word !== brand) return `imitates the name ${brand}`;
      const asksToLogIn = host.split(/[.-]/).some((one) => LOGIN.test(one));
      if (asksToLogIn || isBorrowed(labels, label)) return `borrows the name ${brand}`;
    }
  }
  return null;
}

/** True for `paypal.com.example.net`: a whole domain of somebody else, below another one. */
const isBorrowed = (labels: readonly string[], label: string): boolean =>
  /^(com|net|org|de|fr|es|it|nl|pl|uk|br|co)\b/.test(labels[labels.indexOf(label) + 1] ?? "") &&
  labels.indexOf(label) < labels.length - 3;

const ownerOf = (host: string): string => host.split(".").slice(-2).join(".");

const isOwnNetwork = (host: string): boolean =>
  /^(127|10|0)\.|^192\.168\.|^172\.(1[6-9]|2\d|3[01])\.|^\[(::1|f[cd])/.test(host);
