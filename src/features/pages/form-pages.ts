import { type Html, html } from "../../lib/html.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { english, translated } from "../../texts/locales/_languages.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { htmlPage, type Page } from "./page.ts";
import type { Look } from "./theme.ts";
import { fancy } from "./themes/fancy.ts";
import { formal } from "./themes/formal.ts";
import { sweet } from "./themes/sweet.ts";

type PageSettings = FormRecord["after_submit"]["page"];

const themes = { fancy, formal, sweet };
/** The look of a page without a form, in the colour of the team or the backend. */
export const plainLook = ({ primary }: OwnLook): Look => ({
  theme: formal,
  mode: "system",
  primary,
  secondary: "#ffffff",
});
export const lookOf = (page: PageSettings): Look => ({
  theme: themes[page.theme],
  mode: page.mode,
  primary: page.primary_color,
  secondary: page.secondary_color,
});

/** Further links of the page. */
interface ThanksLinks {
  /** The page on which the sender can change the submission. */
  readonly edit_url?: string | null;
  /** The page on which a visitor can report the form. */
  readonly report_url?: string | null;
}

/** The page after a submission that was accepted, as a response. */
export const thankYouPage = (
  words: Words,
  form: FormRecord,
  referer: string | null,
  links: ThanksLinks = {},
): Response => htmlPage(thankYou(words, form, referer, links));

/** The page after a submission that was accepted. `referer` is where the return button leads when the form names no URL. */
export function thankYou(
  words: Words,
  form: FormRecord,
  referer: string | null,
  { edit_url = null, report_url = null }: ThanksLinks = {},
): Page {
  const { page } = form.after_submit;
  const { headline, message, back: backText } = textsOf(form, words);
  const look = lookOf(page);
  const back = backText && (page.return_button.url || referer);
  const download = page.download_button.url;
  return {
    words,
    title: headline,
    look,
    ownDirection: true,
    images: [page.logo_url, page.logo_dark_url],
    content: html`${top(look, page, look.theme.heart ? heart : tick)}<h1>${headline}</h1><p${isLong(message) && html` class="long"`}>${message}</p>${
      (back || download) &&
      html`<div class="actions">${back && html`<a class="button" href="${back}">${backText}</a>`}${download && html`<a class="button second" href="${download}" dir="auto">${page.download_button.text || words.page.download()}</a>`}</div>`
    }${edit_url && html`<p><a href="${edit_url}">${words.edit.title()}</a></p>`}${
      report_url && html`<p class="small"><a href="${report_url}">${words.report.link()}</a></p>`
    }`,
  };
}

/**
 * The text of a form's page: the owner's, and in the visitor's language where the owner has set none. If the sender has to
 * confirm, our own message says so; for spam too, which must look the same.
 */
export function textsOf(
  { after_submit: { page }, settings }: Pick<FormRecord, "after_submit" | "settings">,
  words: Words,
): { headline: string; message: string; back: string } {
  return {
    headline: translated(page.headline, words, ({ defaults }) => defaults.headline()),
    message:
      settings.double_opt_in.enabled && page.message === english.defaults.message()
        ? words.opt_in.thanks()
        : translated(page.message, words, ({ defaults }) => defaults.message()),
    back: translated(page.return_button.text, words, ({ defaults }) => defaults.return()),
  };
}

/** Centred lines are pleasant while they are few. */
const isLong = (text: string): boolean => text.length > 200 || text.split("\n").length > 4;

/** The page for someone who opens an endpoint in the browser, in the look of its team. */
export function endpointPage(
  words: Words,
  own: OwnLook,
  endpoint: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const sample = `<form action="${endpoint}" method="post">\n  <label>Email <input name="email" type="email" required></label>\n  <label>Message <textarea name="message" required></textarea></label>\n  <button>Send</button>\n</form>`;
  return htmlPage({
    words,
    title: words.page.endpoint_title(),
    look: plainLook(own),
    status: 405,
    headers,
    images: [own.logo_url, own.logo_dark_url],
    content: html`${ownLogo(own)}<h1>${words.page.endpoint_title()}</h1><p>${words.page.endpoint_text()}</p><pre dir="ltr"><code>${sample}</code></pre>`,
  });
}

/** The pictures and the colour of pages without a form. */
export type OwnLook = Pick<PageSettings, "logo_url" | "logo_dark_url"> & { readonly primary: string };
type Pictures = Pick<PageSettings, "mode" | "logo_url" | "logo_dark_url" | "logo_size">;

/** The pictures of a page without a form. */
export const picturesOf = ({ logo_url, logo_dark_url }: OwnLook): Pictures => ({
  mode: "system",
  logo_url,
  logo_dark_url,
  logo_size: "medium",
});
/** The logo of a page without a form. */
export const ownLogo = (own: OwnLook): Html | null => logo(picturesOf(own));

/** The logo, and the theme's mark if it goes next to a logo or there is none. */
export function top(look: Look, page: Pictures, mark: Html): Html {
  const image = logo(page);
  return html`${(!image || look.theme.markBesideLogo) && mark}${image}`;
}

const svg = (path: string, name = ""): Html => ({
  html: `<svg class="mark ${name}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${path}"/></svg>`,
});
const tick = svg("M5 12.5l4.6 4.6L19 7.4");
export const alert = svg("M12 5.5v8M12 18.4v.1");
const heart = svg(
  "M12 20.3C6.6 16.4 2.8 13 2.8 8.9c0-2.8 2.1-4.9 4.8-4.9 1.8 0 3.4 1 4.4 2.7C13 5 14.6 4 16.4 4c2.7 0 4.8 2.1 4.8 4.9 0 4.1-3.8 7.5-9.2 11.4z",
  "heart",
);

const logoHeights = { small: 32, medium: 48, large: 80 } as const;

function logo({ mode, logo_url, logo_dark_url, logo_size }: Pictures): Html | null {
  const source = mode === "dark" ? logo_dark_url || logo_url : logo_url;
  if (!source) return null;
  const plate = mode === "system" && !logo_dark_url && " plate";
  const image = html`<img class="logo ${logo_size}${plate}" src="${source}" height="${logoHeights[logo_size]}" alt="">`;
  if (mode !== "system" || !logo_dark_url) return image;
  return html`<picture><source srcset="${sourceSet(logo_dark_url)}" media="(prefers-color-scheme: dark)">${image}</picture>`;
}

/** In a list of sources, a space ends the URL and a comma may end the entry. */
const sourceSet = (url: string): string => new URL(url).href.replaceAll(",", "%2C");
