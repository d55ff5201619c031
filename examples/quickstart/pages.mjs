// @ts-check

/** @typedef {{ markup: string }} Markup */

/** Template tag that escapes every value which is not markup itself. */
function html(/** @type {TemplateStringsArray} */ strings, /** @type {unknown[]} */ ...values) {
  return { markup: String.raw({ raw: strings }, ...values.map(render)) };
}

/** @returns {string} */
function render(/** @type {any} */ value) {
  if (Array.isArray(value)) return value.map(render).join("");
  if (value && typeof value === "object" && "markup" in value) return value.markup;
  return String(value ?? "").replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** @param {{ title: string, path: string, content: Markup }} page */
function layout({ title, path, content }) {
  const link = (/** @type {string} */ href, /** @type {string} */ text) =>
    html`<a href="${href}" ${path === href ? html`aria-current="page"` : ""}>${text}</a>`;
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
  <header>
    <nav aria-label="Demo">${link("/", "Form")} ${link("/mailbox", "Mailbox")} ${link("/webhooks", "Webhooks")} ${link("/inbox", "Inbox")}</nav>
  </header>
  <main>${content}</main>
</body>
</html>`.markup
  }`;
}

const time = (/** @type {string | undefined} */ at) =>
  Number.isNaN(Date.parse(at ?? ""))
    ? at
    : html`<time datetime="${at}">${new Date(at ?? "").toISOString().slice(0, 19).replace("T", " ")} UTC</time>`;

const address = (/** @type {import("postal-mime").Address | undefined} */ who) =>
  who?.name ? `${who.name} <${who.address}>` : (who?.address ?? "");

const addresses = (/** @type {import("postal-mime").Address[] | undefined} */ list) =>
  (list ?? []).map(address).join(", ");

/** @param {{ id: string, mail: import("postal-mime").Email }[]} mails */
export function mailboxPage(mails) {
  const rows = mails.map(
    ({ id, mail }) => html`
    <li><a class="row" href="/mailbox/${id}">
      <strong>${mail.subject || "(no subject)"}</strong>
      <span>to ${addresses(mail.to)}</span>
      ${time(mail.date)}
    </a></li>`,
  );
  const list =
    rows.length > 0
      ? html`<ul class="list">${rows}</ul>`
      : html`<p class="empty">No mail yet. <a href="/">Fill in the form</a> and come back.</p>`;
  return layout({
    title: "Mailbox",
    path: "/mailbox",
    content: html`<h1>Mailbox</h1>
    <p class="lead">Every mail that the form backend sends arrives here, whoever it is for. Nothing leaves this machine.</p>
    ${list}`,
  });
}

/** @param {string} id @param {import("postal-mime").Email} mail @param {string | undefined} answerTo */
export function mailPage(id, mail, answerTo) {
  const replyTo = addresses(mail.replyTo);
  return layout({
    title: mail.subject || "Mail",
    path: "/mailbox",
    content: html`<p><a href="/mailbox">← Mailbox</a></p>
    <h1>${mail.subject || "(no subject)"}</h1>
    <dl>
      <dt>From</dt><dd>${address(mail.from)}</dd>
      <dt>To</dt><dd>${addresses(mail.to)}</dd>
      ${replyTo && html`<dt>Reply to</dt><dd>${replyTo}</dd>`}
      <dt>Date</dt><dd>${time(mail.date)}</dd>
    </dl>
    ${mail.html && html`<iframe class="mail" title="The mail as HTML" sandbox src="/mailbox/${id}/html"></iframe>`}
    <details ${mail.html ? "" : "open"}><summary>As plain text</summary><pre>${mail.text}</pre></details>
    ${
      answerTo &&
      html`<form method="post" action="/mailbox/${id}/answer">
      <p><label for="text">Write back as ${addresses(mail.to)}</label><br><textarea id="text" name="text" rows="4" required></textarea></p>
      <p><button>Send</button></p>
    </form>`
    }`,
  });
}

/** @param {string} id */
export const sentPage = (id) =>
  layout({
    title: "Sent",
    path: "/mailbox",
    content: html`<h1>Your mail is on its way</h1>
    <p>It stands under the submission in the <a href="/inbox">inbox</a>. <a href="/mailbox/${id}">Back to the mail</a></p>`,
  });

/** @param {import("./receiver.mjs").Received[]} deliveries */
export function webhooksPage(deliveries) {
  const items = deliveries.map(
    ({ at, id, error, body }) => html`
    <li class="row">
      <span class="badge ${error ? "bad" : "good"}">${error ? "✗ not verified" : "✓ verified"}</span>
      <strong>${eventType(body)}</strong>
      <span>${id}</span>
      ${time(at)}
      ${error && html`<p>${error}</p>`}
      <details><summary>Body</summary><pre>${indented(body)}</pre></details>
    </li>`,
  );
  const list =
    items.length > 0
      ? html`<ul class="list">${items}</ul>`
      : html`<p class="empty">No webhook yet. <a href="/">Fill in the form</a> and come back.</p>`;
  return layout({
    title: "Webhooks",
    path: "/webhooks",
    content: html`<h1>Webhooks</h1>
    <p class="lead">Here the demo plays the other application: it receives the form’s webhooks and verifies their signatures.</p>
    ${list}`,
  });
}

function eventType(/** @type {string} */ body) {
  return parsed(body)?.type ?? "no event";
}

function indented(/** @type {string} */ body) {
  const value = parsed(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

function parsed(/** @type {string} */ body) {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
