import { html } from "../../lib/html.ts";
import { page } from "../layout/page.ts";
import type { Visit } from "../visit.ts";
import { formHead, formOf } from "./_form-head.ts";

/** Instructions for using a form: its address, and snippets to paste. */
export async function installScreen(visit: Visit): Promise<Response> {
  const { t, to } = visit;
  const form = await formOf(visit);
  const { endpoint } = form;
  const snippets = [
    [
      t.install.html(),
      `<form action="${endpoint}" method="post">
  <label>Name <input name="name" required></label>
  <label>Email <input name="email" type="email" required></label>
  <label>Message <textarea name="message" required></textarea></label>
  <button>Send</button>
</form>`,
    ],
    [
      t.install.fetch(),
      `await fetch("${endpoint}", {
  method: "POST",
  headers: { "Content-Type": "application/json", Accept: "application/json" },
  body: JSON.stringify({ name: "Ann", email: "ann@example.com", message: "Hello" }),
});`,
    ],
    [t.install.curl(), `curl ${endpoint} -d name=Ann -d email=ann@example.com -d message=Hello`],
  ] as const;
  const content = html`${formHead(visit, form, "install")}<div class="narrow"><p>${t.install.help()}</p><h2>${t.install.endpoint()}</h2><pre class="code" tabindex="0" dir="ltr" aria-label="${t.install.endpoint()}" data-copy>${endpoint}</pre>${snippets.map(
    ([name, text]) =>
      html`<h2>${name}</h2><pre class="code" tabindex="0" dir="ltr" aria-label="${name}" data-copy>${text}</pre>`,
  )}<p class="actions"><a class="button primary" href="${to(`/f/${form.id}`)}">${t.install.open()}</a></p></div>`;
  return page(visit, { title: t.install.title({ form: form.name }), form_id: form.id, content });
}
