import { escapeHtml, type Html, html } from "../../lib/html.ts";
import type { Words } from "../../texts/locales/_words.ts";

/** Content for a theme's layout; anything that is not markup is text. */
export interface Layout {
  readonly words: Words;
  /** The subject, which some programs show as the title of a window. */
  readonly title: string;
  readonly logo: { readonly url: string; readonly height: number } | null;
  /** The form's first colour. */
  readonly primary: string;
  /** A short line above the heading. */
  readonly kicker: string;
  readonly heading: string;
  /** True if it is laid out from right to left; each value still runs in its own direction. */
  readonly rtl: boolean;
  readonly notice: string;
  /** Rows as the theme itself made them. */
  readonly rows: readonly Html[];
  readonly files: readonly { readonly name: string; readonly url: string; readonly note: string }[];
  /** Said below the files. */
  readonly filesNote: string;
  readonly message: Html | null;
  readonly footer: readonly string[];
}

/** Position of a row. */
interface RowPlace {
  /** Nothing comes before it, so it needs no separating line. */
  readonly first: boolean;
  readonly rtl: boolean;
}

/**
 * One theme of the mails. Styles are on the elements, because many programs drop style sheets; tables, because one program lays
 * out nothing else.
 */
export interface MailTheme {
  row(name: string, value: Html, place: RowPlace): Html;
  page(layout: Layout): string;
}

/** Text as HTML with `<br>` line breaks, which work even if styles are dropped. */
export const lines = (text: string): Html => ({ html: escapeHtml(text).replaceAll("\n", "<br>\n") });

export const SANS: Html = { html: "-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif" };

/** The frame of every mail. `dark` contains rules for dark mode, which supporting programs take from the style sheet. */
export function mailDocument(
  { words, title, rtl }: Layout,
  back: string,
  dark: Readonly<Record<string, string>>,
  content: Html,
): string {
  const rules = Object.entries(dark);
  const style =
    ":root{color-scheme:light dark;supported-color-schemes:light dark}" +
    `@media(prefers-color-scheme:dark){${rules.map(([name, rule]) => `.${name}{${rule}}`).join("")}}` +
    // Outlook on the web marks dark mode on the elements instead.
    rules.map(([name, rule]) => `[data-ogsc] .${name}{${rule}}`).join("") +
    "@media(max-width:520px){.pad{padding-left:20px!important;padding-right:20px!important}.stack{display:block!important;width:auto!important}.value{padding-top:0!important;border-top:0!important}.name{padding-bottom:2px!important}}";
  return `<!doctype html>\n${
    html`<html lang="${words.tag}" dir="${rtl ? "rtl" : "ltr"}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<meta name="x-apple-disable-message-reformatting">
<title>${title}</title>
<style>${{ html: style }}</style>
</head>
<body class="back" style="margin:0;padding:0;background:${back}">
<table role="presentation" class="back" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${back}">
<tr><td align="center" style="padding:32px 12px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" dir="${rtl ? "rtl" : "ltr"}" style="max-width:600px;text-align:${sideOf(rtl)}">
${content}
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr>
</table>
</body>
</html>
`.html
  }`;
}

/** The side where lines begin. */
export const sideOf = (rtl: boolean): "left" | "right" => (rtl ? "right" : "left");

/** The logo on a light background, even in dark mode: it may be invisible on another. */
export const logoImage = ({ url, height }: NonNullable<Layout["logo"]>): Html =>
  html`<img src="${url}" height="${height}" alt="" style="display:block;height:${height}px;width:auto;max-width:100%;object-fit:contain;border:0">`;
