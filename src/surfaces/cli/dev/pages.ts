import type { Mail } from "../../../drivers/mailer/types.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { Received } from "./receiver.ts";

type Address = Mail["to"];
interface Kept<T> {
  readonly id: string;
  readonly item: T;
}

function layout(title: string, path: string, inboxUrl: string, content: Html): string {
  const link = (href: string, text: string) =>
    html`<a href="${href}"${path === href && html` aria-current="page"`}>${text}</a> `;
  return `<!doctype html>${
    html`<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><nav aria-label="Pages">${link("/", "Form")}${link("/mailbox", "Mailbox")}${link("/webhooks", "Webhooks")}${link(inboxUrl, "Inbox")}</nav></header>
<main>${content}</main>
</body>
</html>`.html
  }`;
}

const time = (at: string | number): Html => {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}">${date.toISOString().slice(0, 19).replace("T", " ")} UTC</time>`;
};
const address = ({ name, address: at }: Address): string => (name ? `${name} <${at}>` : at);

const addresses = (all: readonly Address[] = []): string => all.map(address).join(", ");

/** Pages of `dev`. */
export const pages = (inboxUrl: string) => ({
  form: (endpoint: string): string =>
    layout(
      "Contact",
      "/",
      inboxUrl,
      html`<h1>Contact</h1>
<p>A plain HTML form. It posts to <code>${endpoint}</code>; copy that address into a page of yours.</p>
<form action="${endpoint}" method="post">
<label for="name">Name</label><input id="name" name="name" autocomplete="name" required>
<label for="email">Email</label><input id="email" name="email" type="email" autocomplete="email" required>
<label for="message">Message</label><textarea id="message" name="message" rows="6" required></textarea>
<div hidden><label for="_gotcha">Leave this empty</label><input id="_gotcha" name="_gotcha" tabindex="-1" autocomplete="off"></div>
<button type="submit">Send</button>
</form>`,
    ),
  mailbox: (mails: readonly Kept<Mail>[]): string =>
    layout(
      "Mailbox",
      "/mailbox",
      inboxUrl,
      html`<h1>Mailbox</h1>
<p>Every email arrives here, whoever it is for. Nothing leaves this machine.</p>
${
  mails.length === 0
    ? html`<p>No email yet. <a href="/">Fill in the form</a> and come back.</p>`
    : html`<ul>${mails.map(
        ({ id, item }) =>
          html`<li><a href="/mailbox/${id}"><strong>${item.subject || "(no subject)"}</strong></a> to ${addresses([item.to, ...(item.alsoTo ?? [])])} ${time(item.date)}</li>`,
      )}</ul>`
}`,
    ),
  /** The page after writing back. */
  answered: (isStored: boolean): string =>
    layout(
      "Answer",
      "/mailbox",
      inboxUrl,
      isStored
        ? html`<h1>The answer has arrived</h1>
<p>It stands under the submission in the <a href="${inboxUrl}">inbox</a>, and a copy for the owner is in the <a href="/mailbox">mailbox</a>.</p>`
        : html`<h1>The answer could not be read</h1>
<p>To find the new text of a mail, the package <code>email-reply-parser</code> is needed: start with <code>npx --package=form-backend --package=email-reply-parser form-backend dev</code>.</p>`,
    ),
  mail: (id: string, mail: Mail, canAnswer: boolean): string =>
    layout(
      mail.subject || "Email",
      "/mailbox",
      inboxUrl,
      html`<p><a href="/mailbox">← Mailbox</a></p>
<h1>${mail.subject || "(no subject)"}</h1>
<dl>
<dt>From</dt><dd>${address(mail.from)}</dd>
<dt>To</dt><dd>${addresses([mail.to, ...(mail.alsoTo ?? [])])}</dd>
${(mail.cc?.length ?? 0) > 0 && html`<dt>Cc</dt><dd>${addresses(mail.cc)}</dd>`}
${(mail.bcc?.length ?? 0) > 0 && html`<dt>Bcc</dt><dd>${addresses(mail.bcc)}</dd>`}
${mail.replyTo && html`<dt>Reply to</dt><dd>${address(mail.replyTo)}</dd>`}
<dt>Date</dt><dd>${time(mail.date)}</dd>
</dl>
${mail.html !== "" && html`<iframe title="The email as HTML" sandbox src="/mailbox/${id}/html"></iframe>`}
<details><summary>As plain text</summary><pre>${mail.text}</pre></details>
${
  canAnswer &&
  html`<form action="/mailbox/${id}/answer" method="post">
<label for="text">Write back as ${mail.to.address}</label><textarea id="text" name="text" rows="4" required maxlength="50000"></textarea>
<button type="submit">Send</button>
</form>`
}`,
    ),
  webhooks: (items: readonly Kept<Received>[]): string =>
    layout(
      "Webhooks",
      "/webhooks",
      inboxUrl,
      html`<h1>Webhooks</h1>
<p>This page plays the other application: it receives the form’s webhooks and verifies their signatures.</p>
${
  items.length === 0
    ? html`<p>No webhook yet. <a href="/">Fill in the form</a> and come back.</p>`
    : html`<ul>${items.map(
        ({
          item,
        }) => html`<li><strong>${item.error === null ? "✓ verified" : "✗ not verified"}</strong> ${item.id} ${time(item.at)}
${item.error !== null && html`<p>${item.error}</p>`}
<details><summary>Body</summary><pre>${indented(item.body)}</pre></details></li>`,
      )}</ul>`
}`,
    ),
});

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

export const style = `:root{color-scheme:light dark;--bg:#f6f5f1;--card:#fff;--text:#1c1f1e;--line:#dedcd4;--edge:#7c8683;--main:#0f766e;--link:#0f6a63}
@media (prefers-color-scheme:dark){:root{--bg:#101413;--card:#191f1d;--text:#eef2f0;--line:#2d3633;--edge:#7b8884;--link:#5eead4}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}
a{color:var(--link)}
header{border-bottom:1px solid var(--line)}
nav,main{max-width:44rem;margin:auto;padding:1rem}
nav a{display:inline-block;padding:.1rem 0;margin-right:1rem}
nav a[aria-current]{font-weight:700}
form{display:grid;gap:.5rem;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
form [hidden]{display:none}
input,textarea{width:100%;padding:.5rem;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--edge);border-radius:.25rem}
button{justify-self:start;padding:.6rem 1.2rem;font:inherit;color:#fff;background:var(--main);border:0;border-radius:.25rem}
ul{padding:0;list-style:none}
li,dl{padding:.75rem 1rem;margin:.5rem 0;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
time{opacity:.8}
dt{font-weight:700}
dd{margin:0 0 .5rem}
pre{white-space:pre-wrap}
iframe{width:100%;height:30rem;background:#fff;border:1px solid var(--line)}
`;
