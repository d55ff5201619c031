import { createHash } from "node:crypto";
import { type Html, html } from "../lib/html.ts";
import { type Look, styleSheet } from "./theme.ts";

export interface Page {
  readonly title: string;
  readonly look: Look;
  readonly content: Html;
  /** Whether the owner's words, not ours, say if it runs from right to left. */
  readonly ownDirection?: boolean;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** URLs of the images on it; nothing else is loaded. */
  readonly images?: readonly string[];
  /** URLs to which its forms lead, by themselves or by the redirect that answers them: browsers hold both to `form-action`. */
  readonly formTargets?: readonly string[];
}

/** A whole page without script and without any asset but a logo, under a CSP that names its one style sheet by hash. */
export function htmlPage(page: Page): Response {
  const { title, look, content, status = 200, headers, ownDirection, images = [], formTargets = [] } = page;
  const style = styleSheet(look);
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    `img-src ${origins(images)}`,
    `form-action ${origins(formTargets)}`,
    "base-uri 'none'",
  ].join("; ");
  const body = html`<html lang="en" data-mode="${look.mode}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no"><title>${title}</title><style>${{ html: style }}</style></head><body><main${ownDirection && html` dir="auto"`}>${content}</main></body></html>`;
  return new Response(`<!doctype html>${body.html}`, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cache-control": "no-store",
      // Not `no-referrer`, which would make the browser send `Origin: null` when the visitor posts again from the error page.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

/** A CSP source list, which can't hold a `;` or a space of anybody else's. */
const origins = (urls: readonly string[]): string =>
  [...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin))].join(" ") || "'none'";
