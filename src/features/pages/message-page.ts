import { html } from "../../lib/html.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { type OwnLook, ownLogo, plainLook } from "./form-pages.ts";
import { htmlPage } from "./page.ts";

/** A page of ours that says one thing, and may ask for one press of a button. */
interface Message {
  readonly words: Words;
  /** That of the team, or of the backend. */
  readonly look: OwnLook;
  readonly title: string;
  readonly message: string;
  /** `action` is posted to, without fields. */
  readonly button?: { readonly text: string; readonly action: string };
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The page in our own look. */
export function messagePage({ words, look, title, message, button, status = 200, headers = {} }: Message): Response {
  return htmlPage({
    words,
    title,
    look: plainLook(look),
    status,
    headers,
    images: [look.logo_url, look.logo_dark_url],
    formTargets: button ? [button.action] : [],
    content: html`${ownLogo(look)}<h1>${title}</h1><p${status >= 400 && html` role="alert"`}>${message}</p>${
      button &&
      html`<form method="post" action="${button.action}"><div class="actions"><button class="button" type="submit">${button.text}</button></div></form>`
    }`,
  });
}
