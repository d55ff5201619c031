// @ts-check
import { readFileSync } from "node:fs";

const style = readFileSync(new URL("style.css", import.meta.url), "utf8");

const escaped = (/** @type {unknown} */ value) =>
  String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (/** @type {string} */ title, /** @type {string} */ content) => `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>${escaped(title)}</title>
  <link rel="icon" href="data:,">
  <style>${style}</style>
</head>
<body><main>${content}</main></body>
</html>`;

export const loginPage = (/** @type {{ id: string, name: string }[]} */ customers) =>
  page(
    "Letterbox",
    `<h1>Letterbox</h1>
    <p>A product of two customers. Take the part of one of them.</p>
    <section>
      <h2>Log in</h2>
      ${customers
        .map(
          ({ id, name }) =>
            `<form method="post" action="/login"><button name="customer" value="${id}">As ${escaped(name)}</button></form>`,
        )
        .join("")}
    </section>`,
  );

/** @param {import("form-backend").Team} team @param {import("form-backend").Form[]} forms @param {string} notice */
export function dashboardPage({ name, plan }, forms, notice) {
  const rows = forms.map(({ id, name, submissions: { all_time } }) => {
    const count = `${all_time} ${all_time === 1 ? "submission" : "submissions"}`;
    return `<li><a href="/try/${id}">${escaped(name)}</a> <span>${count}</span></li>`;
  });
  const other = plan === "starter" ? "business" : "starter";
  return page(
    `${name} · Letterbox`,
    `<h1>${escaped(name)}</h1>
    ${notice && `<p class="notice" role="status">${escaped(notice)}</p>`}
    <section>
      <h2>Forms</h2>
      ${rows.length > 0 ? `<ul>${rows.join("")}</ul>` : "<p>None yet.</p>"}
      <p><a href="/my/inbox">Open the inbox</a></p>
      <form method="post" action="/my/forms">
        <input name="name" aria-label="Name of the new form" placeholder="Name of the new form" required>
        <button>Add</button>
      </form>
    </section>
    <section>
      <h2>Plan: ${escaped(plan)}</h2>
      <p>The starter plan includes one form and no webhooks.</p>
      <form method="post" action="/my/plan"><button name="plan" value="${other}">Change to ${other}</button></form>
    </section>
    <section>
      <h2>API</h2>
      <p>This session may call the management API too: <a href="/forms/v1/forms">my forms as JSON</a>.</p>
      <form method="post" action="/my/key"><button>Make a key</button></form>
    </section>
    <form method="post" action="/logout"><button>Log out</button></form>`,
  );
}

/** The inbox of one customer in a frame. @param {import("form-backend").Team} team @param {string} url */
export const inboxPage = ({ name }, url) =>
  page(
    `Inbox of ${name} · Letterbox`,
    `<p><a href="/">${escaped(name)}</a></p>
    <nav class="places" aria-label="Inbox"><button data-go="/">Forms</button><button data-go="/all">Messages</button><output aria-label="Unread"></output></nav>
    <iframe class="inbox" title="Inbox" src="${escaped(url)}"></iframe>
    <script>
      // The frame tells its height and what is unread, and goes where this page says.
      const frame = document.querySelector("iframe");
      const origin = new URL(frame.src).origin;
      addEventListener("message", ({ source, origin: from, data }) => {
        if (source !== frame.contentWindow || from !== origin || data.type !== "form-backend") return;
        frame.style.height = Math.max(400, data.height) + "px";
        document.querySelector("output").textContent = data.unread > 0 ? data.unread + " unread" : "";
      });
      for (const button of document.querySelectorAll("[data-go]"))
        button.onclick = () => frame.contentWindow.postMessage({ type: "form-backend:go", path: button.dataset.go }, origin);
    </script>`,
  );

export const formPage = (/** @type {import("form-backend").Form} */ { name, endpoint }) =>
  page(
    name,
    `<h1>${escaped(name)}</h1>
    <section>
      <form class="tall" method="post" action="${endpoint}">
        <label for="email">Email</label> <input id="email" name="email" type="email" autocomplete="email" required>
        <label for="message">Message</label> <textarea id="message" name="message" rows="4" required></textarea>
        <button>Send</button>
      </form>
    </section>`,
  );
