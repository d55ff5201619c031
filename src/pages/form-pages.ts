import type { FormRecord } from "../forms/schema.ts";
import { type Html, html } from "../lib/html.ts";
import { htmlPage } from "./page.ts";
import type { Look } from "./theme.ts";
import { fancy } from "./themes/fancy.ts";
import { formal } from "./themes/formal.ts";
import { sweet } from "./themes/sweet.ts";

type PageSettings = FormRecord["after_submit"]["page"];

const themes = { fancy, formal, sweet };
const neutral: Look = { theme: formal, mode: "system", primary: "#2563eb", secondary: "#ffffff" };
const lookOf = (page: PageSettings): Look => ({
  theme: themes[page.theme],
  mode: page.mode,
  primary: page.primary_color,
  secondary: page.secondary_color,
});

/** The page after a submission that was accepted. `referer` is where the return button leads when the form names no URL. */
export function thankYouPage(form: FormRecord, referer: string | null): Response {
  const { page } = form.after_submit;
  const look = lookOf(page);
  const back = page.return_button.text && (page.return_button.url || referer);
  const download = page.download_button.url;
  return htmlPage({
    title: page.headline,
    look,
    ownDirection: true,
    images: [page.logo_url, page.logo_dark_url],
    content: html`${top(look, page, look.theme.heart ? heart : tick)}<h1>${page.headline}</h1><p${isLong(page.message) && html` class="long"`}>${page.message}</p>${
      (back || download) &&
      html`<div class="actions">${back && html`<a class="button" href="${back}">${page.return_button.text}</a>`}${download && html`<a class="button second" href="${download}" dir="auto">${page.download_button.text || "Download"}</a>`}</div>`
    }`,
  });
}

/** Centred lines are pleasant while they are few. */
const isLong = (text: string): boolean => text.length > 200 || text.split("\n").length > 4;

/** A post that was refused, as its error page tells it. */
export interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** What is wrong with single fields, shown at their inputs; a field that was not posted gets an empty one. */
  readonly errors?: Readonly<Record<string, { readonly message: string }>> | undefined;
}

/** What the visitor sent, and where from. */
export interface PostedForm {
  readonly endpoint: string;
  readonly fields: readonly { readonly key: string; readonly value: string }[];
  /** Fields that go along unseen when the visitor sends again, such as `_next`. */
  readonly hidden?: readonly { readonly key: string; readonly value: string }[] | undefined;
  /** File inputs and how many files came by each: no page can keep those, so they are to be chosen again. */
  readonly files?: readonly { readonly key: string; readonly count: number }[] | undefined;
  /** The page with the form, where it is known. */
  readonly back: string | null;
}

/** No second try helps where there is no form, or it takes nothing at the moment. */
const FINAL = new Set([403, 404]);

/** The page after a post that was refused: it says why, keeps what the visitor typed, and offers a way back. */
export function errorPage(form: FormRecord | null, refusal: Refusal, posted: PostedForm): Response {
  const page = form?.after_submit.page ?? null;
  const look = page ? lookOf(page) : neutral;
  const again = !FINAL.has(refusal.status);
  const files = again ? (posted.files ?? []) : [];
  const controls = [
    ...controlsOf(posted.fields, refusal.errors ?? {}, again, new Set(files.map(({ key }) => key))),
    ...files.map((file, at) => fileControl(file, at, refusal.errors ?? {})),
  ];
  const back = posted.back
    ? html`<a class="button second" href="${posted.back}">Go back</a>`
    : html`<p>To return to the form, use the back button of your browser.</p>`;
  return htmlPage({
    title: refusal.title,
    look,
    status: refusal.status,
    headers: refusal.headers,
    images: page ? [page.logo_url, page.logo_dark_url] : [],
    formTargets: [posted.endpoint, form?.after_submit.redirect.success_url ?? "", posted.back ?? ""],
    content: html`${top(look, page, alert)}<h1>${refusal.title}</h1><p class="error" role="alert">${refusal.message}</p>${
      controls.length > 0 &&
      html`<form method="post" action="${posted.endpoint}"${files.length > 0 && html` enctype="multipart/form-data"`}>${(posted.hidden ?? []).map(({ key, value }) => html`<input type="hidden" name="${key}" value="${value}">`)}${controls}${
        again &&
        html`<div class="actions"><button class="button" type="submit">Send again</button>${posted.back && back}</div>`
      }</form>`
    }${!(again && controls.length > 0 && posted.back) && html`<div class="actions">${back}</div>`}`,
  });
}

/** What somebody sees who opens an endpoint in the browser. */
export function endpointPage(endpoint: string, headers: Readonly<Record<string, string>>): Response {
  const sample = `<form action="${endpoint}" method="post">\n  <label>Email <input name="email" type="email" required></label>\n  <label>Message <textarea name="message" required></textarea></label>\n  <button>Send</button>\n</form>`;
  return htmlPage({
    title: "This is a form endpoint",
    look: neutral,
    status: 405,
    headers,
    content: html`<h1>This is a form endpoint</h1><p>It receives what a form on a website sends; there is nothing to see here. If it is your form, this is how a page uses it:</p><pre><code>${sample}</code></pre>`,
  });
}

function controlsOf(
  fields: PostedForm["fields"],
  errors: NonNullable<Refusal["errors"]>,
  editable: boolean,
  files: ReadonlySet<string>,
): Html[] {
  const names = new Set(fields.map(({ key }) => key));
  const missing = Object.keys(errors).filter((key) => !names.has(key) && !files.has(key));
  const shown = [...fields, ...missing.map((key) => ({ key, value: "" }))];
  return shown.map(({ key, value }, at) => {
    // Of fields with one name, as checkboxes have, the first carries the message.
    const first = shown.findIndex((field) => field.key === key) === at;
    const fault = first && Object.hasOwn(errors, key) ? errors[key]?.message : undefined;
    const id = `field-${at}`;
    const attributes = html`id="${id}" name="${key}" dir="auto"${!editable && html` readonly`}${fault !== undefined && html` aria-invalid="true" aria-describedby="${id}-error"`}`;
    return html`<div class="field"><label for="${id}">${key}</label>${
      value.includes("\n") || value.length > 80
        ? // The parser drops one line break at the start of a textarea, which may be the visitor's.
          html`<textarea ${attributes} rows="4">${{ html: "\n" }}${value}</textarea>`
        : html`<input ${attributes} value="${value}">`
    }${fault !== undefined && html`<p class="error" id="${id}-error">${fault}</p>`}</div>`;
  });
}

function fileControl(
  { key, count }: { readonly key: string; readonly count: number },
  at: number,
  errors: NonNullable<Refusal["errors"]>,
): Html {
  const id = `file-${at}`;
  const fault = Object.hasOwn(errors, key) ? errors[key]?.message : undefined;
  const hint = count > 0 && (count > 1 ? "Please choose the files again." : "Please choose the file again.");
  const notes = [hint && `${id}-hint`, fault !== undefined && `${id}-error`].filter(Boolean).join(" ");
  return html`<div class="field"><label for="${id}">${key}</label><input type="file" id="${id}" name="${key}"${count > 1 && html` multiple`}${notes && html` aria-describedby="${notes}"`}${fault !== undefined && html` aria-invalid="true"`}>${hint && html`<p id="${id}-hint">${hint}</p>`}${fault !== undefined && html`<p class="error" id="${id}-error">${fault}</p>`}</div>`;
}

/** The logo, and the theme's mark where it stands beside a logo or there is none. */
function top(look: Look, page: PageSettings | null, mark: Html): Html {
  const image = page && logo(page);
  return html`${(!image || look.theme.markBesideLogo) && mark}${image}`;
}

const svg = (path: string, name = ""): Html => ({
  html: `<svg class="mark ${name}" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${path}"/></svg>`,
});
const tick = svg("M5 12.5l4.6 4.6L19 7.4");
const alert = svg("M12 5.5v8M12 18.4v.1");
const heart = svg(
  "M12 20.3C6.6 16.4 2.8 13 2.8 8.9c0-2.8 2.1-4.9 4.8-4.9 1.8 0 3.4 1 4.4 2.7C13 5 14.6 4 16.4 4c2.7 0 4.8 2.1 4.8 4.9 0 4.1-3.8 7.5-9.2 11.4z",
  "heart",
);

const logoHeights = { small: 32, medium: 48, large: 80 } as const;

function logo({ mode, logo_url, logo_dark_url, logo_size }: PageSettings): Html | null {
  const source = mode === "dark" ? logo_dark_url || logo_url : logo_url;
  if (!source) return null;
  const plate = mode === "system" && !logo_dark_url && " plate";
  const image = html`<img class="logo ${logo_size}${plate}" src="${source}" height="${logoHeights[logo_size]}" alt="">`;
  if (mode !== "system" || !logo_dark_url) return image;
  return html`<picture><source srcset="${sourceSet(logo_dark_url)}" media="(prefers-color-scheme: dark)">${image}</picture>`;
}

/** In a list of sources, a space ends the URL and a comma may end the entry. */
const sourceSet = (url: string): string => new URL(url).href.replaceAll(",", "%2C");
