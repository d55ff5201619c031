import { createHash } from "node:crypto";
import { type Html, html } from "../../lib/html.ts";
import { policySources } from "../../lib/origin.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { type Look, styleSheet } from "./theme.ts";

export interface Page {
  /** The language of our own texts on it. */
  readonly words: Words;
  readonly title: string;
  readonly look: Look;
  readonly content: Html;
  /** True if the owner's words, not ours, say if it runs from right to left. */
  readonly ownDirection?: boolean;
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** URLs of its images; nothing else is loaded. */
  readonly images?: readonly string[];
  /** Targets of its forms, directly or by the redirect after a post: browsers check both against `form-action`. */
  readonly formTargets?: readonly string[];
}

/** A page as a response has it. */
interface RenderedPage {
  readonly body: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The response with a page. */
export function htmlPage(page: Page): Response {
  const { body, status, headers } = renderPage(page);
  return new Response(body, { status, headers });
}

/**
 * A whole page without script and without any asset but a logo, under a CSP that names its one style sheet by hash. It depends
 * on its input alone, so what an owner previews is what visitors see.
 */
export function renderPage(page: Page): RenderedPage {
  const { words, title, look, content, status = 200, headers, ownDirection, images = [], formTargets = [] } = page;
  const style = styleSheet(look);
  const hash = createHash("sha256").update(style).digest("base64");
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    `img-src ${origins(images)}`,
    `form-action ${origins(formTargets)}`,
    "base-uri 'none'",
  ].join("; ");
  const body = html`<html lang="${words.tag}" dir="${words.dir}" data-mode="${look.mode}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="format-detection" content="telephone=no"><title>${title}</title><style>${{ html: style }}</style></head><body><main${ownDirection && html` dir="auto"`}>${content}</main></body></html>`;
  return {
    body: `<!doctype html>${body.html}`,
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      ...spoken(words),
      "content-security-policy": policy,
      "cache-control": "no-store",
      // Not `no-referrer`, which would make the browser send `Origin: null` when the visitor posts again from the error page.
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  };
}

/** A CSP source list. */
const origins = (urls: readonly string[]): string => policySources(urls).join(" ") || "'none'";

/** Headers of a response in a visitor's language, so that caches keep languages apart. */
export const spoken = (words: Words): Record<string, string> => ({
  "content-language": words.tag,
  vary: "Accept-Language",
});
