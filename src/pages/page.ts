import { createHash } from "node:crypto";
import { type Html, html } from "../lib/html.ts";

/** What a page looks like; colours are checked to be hex before they get here. */
export interface Look {
  readonly mode: "light" | "dark" | "system";
  readonly primary: string;
}

/** A whole page without script and without any asset but a logo, under a CSP that names its one style sheet by hash. */
export function htmlPage(
  title: string,
  look: Look,
  content: Html,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const style = styleOf(look);
  const hash = createHash("sha256").update(style).digest("base64");
  const body = html`<html lang="en" data-mode="${look.mode}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${{ html: style }}</style></head><body><main>${content}</main></body></html>`;
  return new Response(`<!doctype html>${body.html}`, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; img-src https: http:; form-action 'self'; base-uri 'none'`,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}

function styleOf({ mode, primary }: Look): string {
  const dark = "--bg:#0b0f19;--card:#141a28;--text:#f3f4f6;--muted:#b6bdca;--line:#2b3446;--error:#fca5a5";
  const light = "--bg:#f4f5f7;--card:#ffffff;--text:#111827;--muted:#4b5563;--line:#dfe3e8;--error:#b42318";
  return (
    `:root{color-scheme:${mode === "system" ? "light dark" : mode};${mode === "dark" ? dark : light};--primary:${primary};--on-primary:${foreground(primary)}}` +
    (mode === "system" ? `@media(prefers-color-scheme:dark){:root{${dark}}}` : "") +
    "*{box-sizing:border-box}" +
    "body{margin:0;min-height:100vh;display:grid;grid-template-columns:minmax(0,1fr);place-items:center;padding:24px 16px;background:var(--bg);color:var(--text);font:16px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}" +
    "main{width:100%;max-width:34rem;padding:clamp(28px,8vw,40px) clamp(20px,7vw,32px);background:var(--card);border:1px solid var(--line);border-radius:14px;box-shadow:0 1px 2px #0000000d,0 12px 32px #0000000f;overflow-wrap:anywhere}" +
    "h1{margin:0 0 12px;font-size:1.65rem;line-height:1.25;letter-spacing:-.01em}p{margin:0 0 16px;color:var(--muted);white-space:pre-line}" +
    ".logo{display:block;max-width:100%;margin:0 0 24px}.mark{display:grid;place-items:center;width:52px;height:52px;margin:0 0 20px;border-radius:50%;background:var(--primary);color:var(--on-primary);font-size:26px;line-height:1}" +
    ".button{display:inline-block;margin:8px 12px 0 0;padding:11px 22px;border:1px solid var(--primary);border-radius:9px;background:var(--primary);color:var(--on-primary);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}" +
    ".button:focus-visible,input:focus-visible,textarea:focus-visible{outline:3px solid var(--text);outline-offset:2px}" +
    ".second{background:transparent;color:var(--text);border-color:var(--muted)}" +
    "label{display:block;margin:0 0 18px;font-weight:600}input,textarea{display:block;width:100%;margin:6px 0 0;padding:10px 12px;border:1px solid var(--muted);border-radius:8px;background:var(--card);color:var(--text);font:inherit}" +
    ".error{color:var(--error);font-weight:400}code,pre{font:14px/1.6 ui-monospace,SFMono-Regular,Menlo,monospace}pre{padding:14px 16px;border:1px solid var(--line);border-radius:8px;overflow-x:auto;white-space:pre}main>:last-child{margin-bottom:0}"
  );
}

/** Black or white, whichever reads better on a colour; the better one always has a contrast of at least 4.58. */
export function foreground(hex: string): "#000000" | "#ffffff" {
  const l = luminance(hex);
  return (l + 0.05) / 0.05 >= 1.05 / (l + 0.05) ? "#000000" : "#ffffff";
}

/** Relative luminance of `#rgb` or `#rrggbb`, as WCAG 2 defines it. */
function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/gi, "$&$&") : hex;
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
