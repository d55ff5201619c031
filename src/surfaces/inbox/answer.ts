import type { Html } from "../../lib/html.ts";
import { policySources } from "../../lib/origin.ts";
import { textResponse } from "../../lib/response.ts";
import type { Settings } from "./options.ts";

const known = (...urls: (string | undefined)[]): string[] => urls.filter((url) => url !== undefined);

/** The policy of every page: nothing inline, and nothing from elsewhere but what the theme names. */
function policyOf({ theme, embed }: Settings): string {
  const images = ["'self'", ...policySources(known(theme.logo_url, theme.logo_dark_url, theme.favicon))].join(" ");
  const styles = ["'self'", ...policySources(known(theme.css_url))].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    `img-src ${images}`,
    "connect-src 'self'",
    "form-action 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    `frame-ancestors ${embed ? embed.origins.join(" ") : "'none'"}`,
  ].join("; ");
}

/** Headers of everything that is somebody's own. */
export const privateHeaders = (settings: Settings): Record<string, string> => ({
  "content-security-policy": policyOf(settings),
  // It can't name an origin, so only the policy says who may frame it.
  ...(!settings.embed && { "x-frame-options": "DENY" }),
  // Not `no-referrer`, which would make browsers send `Origin: null` with the forms of a page.
  "referrer-policy": "same-origin",
  "cache-control": "no-store",
  vary: "Cookie",
  "x-robots-tag": "noindex",
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
});

/** Additions to a response. */
export interface Extra {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A whole document. */
export const htmlAnswer = (settings: Settings, body: Html, { status = 200, headers = {} }: Extra = {}): Response =>
  textResponse(`<!doctype html>${body.html}`, status, {
    "content-type": "text/html; charset=utf-8",
    ...privateHeaders(settings),
    ...headers,
  });

/** The redirect from a `POST` to the page with its result. */
export const redirect = (
  settings: Settings,
  location: string,
  headers: Readonly<Record<string, string>> = {},
): Response => new Response(null, { status: 303, headers: { ...privateHeaders(settings), location, ...headers } });
