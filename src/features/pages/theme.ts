import { readable } from "../../lib/colour.ts";
import { type Colours, paletteOf, type Scheme, type Surfaces } from "./palette.ts";

/** One theme of the pages: its surfaces for a form's colours, and its additions to the common style sheet. */
export interface Theme {
  surfaces(scheme: Scheme, colours: Colours): Surfaces;
  readonly css: string;
  /** True if the mark is shown even when the form has a logo. */
  readonly markBesideLogo: boolean;
  /** A heart in place of the tick. */
  readonly heart?: boolean;
}

/** The look of a page; colours are already checked to be hex. */
export interface Look extends Colours {
  readonly theme: Theme;
  readonly mode: Scheme | "system";
}

/** The style sheet of a look: the same rules for everybody, the theme's own, and the colours as variables. */
export function styleSheet({ theme, mode, ...colours }: Look): string {
  const first = mode === "dark" ? "dark" : "light";
  return (
    `:root{color-scheme:${mode === "system" ? "light dark" : mode};${variables(theme, first, colours)}}` +
    (mode === "system"
      ? `@media(prefers-color-scheme:dark){:root{${variables(theme, "dark", colours)}}${PLATE}}`
      : "") +
    COMMON +
    theme.css
  );
}

function variables(theme: Theme, scheme: Scheme, colours: Colours): string {
  const palette = paletteOf(scheme, colours, theme.surfaces(scheme, colours));
  const all = { ...palette, accent_on_glow: readable(palette.primary, palette.glow, 3) };
  return Object.entries(all)
    .map(([name, value]) => `--${name.replaceAll("_", "-")}:${value}`)
    .join(";");
}

// A logo made for a light page may be dark itself, so it keeps light ground under it.
const PLATE = ".plate{padding:8px 12px;border-radius:8px;background:#fff;box-sizing:content-box}";

const COMMON =
  "*{box-sizing:border-box}html{min-height:100%}" +
  "body{margin:0;min-height:100vh;min-height:100svh;display:grid;grid-template-columns:minmax(0,1fr);place-items:center;padding:24px 16px;background:var(--backdrop);color:var(--text);font:17px/1.6 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}" +
  "main{width:100%;max-width:35rem;background:var(--card);overflow-wrap:anywhere}" +
  "h1{margin:0 0 12px;font-size:clamp(1.4rem,1.1rem + 1.4vw,1.75rem);line-height:1.25;text-wrap:balance;word-break:auto-phrase}" +
  "p{margin:0 0 16px;color:var(--muted);white-space:pre-line}.long{text-align:start}h1,p,label,.button{unicode-bidi:plaintext}" +
  ".logo{display:block;width:auto;max-width:100%;margin:0 0 28px;object-fit:contain}.small{height:32px}.medium{height:48px}.large{height:80px}" +
  ".mark{display:block;margin:0 0 20px;fill:none;stroke-width:2.4;stroke-linecap:round;stroke-linejoin:round}" +
  ".actions{display:flex;flex-wrap:wrap;gap:12px;margin:28px 0 0}" +
  ".button{display:inline-block;min-height:48px;max-width:100%;padding:10px 24px;border:1px solid var(--primary-edge);background:var(--primary);color:var(--on-primary);font:inherit;font-weight:600;text-decoration:none;text-align:center;cursor:pointer}" +
  ".second{border-color:var(--secondary-edge);background:var(--secondary);color:var(--on-secondary)}" +
  ".button:hover{text-decoration:underline;text-underline-offset:3px}" +
  ":focus-visible{outline:3px solid var(--text);outline-offset:3px}" +
  ".error{color:var(--error);font-weight:600}" +
  "form{margin:24px 0 0}.field{margin:0 0 20px}label{display:block;margin:0 0 6px;font-weight:600}" +
  ":where(input:not([type=checkbox],[type=radio]),textarea,select){display:block;width:100%;padding:10px 12px;border:1px solid var(--muted);background:var(--card);color:var(--text);font:inherit}" +
  "textarea{min-height:6em;resize:vertical}[aria-invalid]{border:2px solid var(--error)}[readonly]{border-style:dashed}" +
  "select{min-height:48px}fieldset{min-width:0;padding:0;border:0}legend{float:left;width:100%;padding:0 0 6px;font-weight:600;unicode-bidi:plaintext}legend+*{clear:both}label,legend{text-align:left}[dir=rtl] :is(label,legend){text-align:right}fieldset[aria-invalid]{padding-inline-start:14px;border:0;border-inline-start:3px solid var(--error);border-radius:0}" +
  ".choice{display:flex;align-items:flex-start;gap:10px;margin:6px 0;font-weight:400}.choice input{flex:none;width:22px;height:22px;margin:2px 0 0;accent-color:var(--accent)}.choice span{min-width:0;unicode-bidi:plaintext}" +
  ".field .error,.field p{margin:6px 0 0;font-size:.94em}" +
  "code,pre{font:14px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}" +
  "pre{margin:20px 0 0;padding:16px 18px;border:1px solid var(--line);background:var(--backdrop);color:var(--text);white-space:pre-wrap}" +
  "main>:last-child{margin-bottom:0}";
