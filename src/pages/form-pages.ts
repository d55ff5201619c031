import type { FormRecord } from "../forms/schema.ts";
import { type Html, html } from "../lib/html.ts";
import { htmlPage, type Look } from "./page.ts";

type PageSettings = FormRecord["after_submit"]["page"];
const lookOf = (page: PageSettings): Look => ({ mode: page.mode, primary: page.primary_color });
const neutral: Look = { mode: "system", primary: "#2563eb" };

const logoHeights = { small: 32, medium: 48, large: 80 } as const;

/** The page after a submission that was accepted. `referer` is where the return button leads when the form names no URL. */
export function thankYouPage(form: FormRecord, referer: string | null): Response {
  const { page } = form.after_submit;
  const back = page.return_button.url || referer;
  return htmlPage(
    page.headline,
    lookOf(page),
    html`${logo(page) ?? html`<div class="mark" aria-hidden="true">✓</div>`}<h1>${page.headline}</h1><p>${page.message}</p>${
      back && page.return_button.text && html`<a class="button" href="${back}">${page.return_button.text}</a>`
    }${page.download_button.url && html`<a class="button second" href="${page.download_button.url}">${page.download_button.text || "Download"}</a>`}`,
  );
}

/** The page after a post that was refused: it says why, keeps what the visitor typed, and offers a way back. */
export function errorPage(
  form: FormRecord | null,
  error: { status: number; title: string; message: string; headers: Readonly<Record<string, string>> },
  posted: { endpoint: string; fields: readonly { key: string; value: string }[]; back: string | null },
): Response {
  const { page } = form?.after_submit ?? {};
  return htmlPage(
    error.title,
    page ? lookOf(page) : neutral,
    html`${page && logo(page)}<h1>${error.title}</h1><p class="error" role="alert">${error.message}</p>${
      posted.fields.length > 0 &&
      html`<form method="post" action="${posted.endpoint}">${posted.fields.map(control)}<button class="button" type="submit">Send again</button></form>`
    }${posted.back && html`<a class="button second" href="${posted.back}">Go back</a>`}`,
    error.status,
    error.headers,
  );
}

/** What somebody sees who opens an endpoint in the browser. */
export function endpointPage(endpoint: string, headers: Readonly<Record<string, string>>): Response {
  const sample = `<form action="${endpoint}" method="post">\n  <input name="email" type="email" required>\n  <textarea name="message" required></textarea>\n  <button>Send</button>\n</form>`;
  return htmlPage(
    "This is a form endpoint",
    neutral,
    html`<h1>This is a form endpoint</h1><p>It takes what an HTML form posts to it. Put its address into the form’s action:</p><pre tabindex="0"><code>${sample}</code></pre>`,
    405,
    headers,
  );
}

function control({ key, value }: { key: string; value: string }): Html {
  return html`<label>${key}${
    value.includes("\n") || value.length > 80
      ? html`<textarea name="${key}" rows="4">${{ html: "\n" }}${value}</textarea>`
      : html`<input name="${key}" value="${value}">`
  }</label>`;
}

function logo(page: PageSettings): Html | null {
  if (!page.logo_url) return null;
  const height = logoHeights[page.logo_size];
  const image = html`<img class="logo" src="${page.mode === "dark" && page.logo_dark_url ? page.logo_dark_url : page.logo_url}" height="${height}" alt="">`;
  if (page.mode !== "system" || !page.logo_dark_url) return image;
  return html`<picture><source srcset="${page.logo_dark_url}" media="(prefers-color-scheme: dark)">${image}</picture>`;
}
