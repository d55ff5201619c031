// @ts-check
import { inbox } from "form-backend/inbox";
import { formBackend } from "form-backend/node";
import { createTestBackend } from "form-backend/testing";
import { mailKinds, pageKinds, palettes, samples } from "./samples.mjs";

/**
 * @typedef {object} View
 * @property {string} kind
 * @property {string} theme
 * @property {string} mode
 * @property {string} sample
 * @property {string} colours
 */

/**
 * The pages and mails as the library itself makes them, from real submissions to real forms.
 * @param {string} origin where the preview runs, for the logo
 * @param {string} tag the language of the visitors, the owner and the inbox
 * @param {import("form-backend").Locale} locale the texts of that language
 */
export async function renderer(origin, tag, locale) {
  const backend = createTestBackend({
    baseUrl: `${origin}/forms`,
    from: "Example Ltd. <forms@example.com>",
    rateLimit: false,
    locales: [locale],
    language: tag,
    inbox: inbox({
      authenticate: async () => ({ id: "you", name: "You", team_ids: ["default"], role: "admin", locale: tag }),
    }),
  });
  let visitors = 0;
  let owners = 0;

  /** @param {View} view @param {any[]} [rules] */
  async function formOf({ theme, mode, sample, colours }, rules = []) {
    const { name, headline, message, button, reply, logo } = samples[sample] ?? fail(sample);
    const [primary_color, secondary_color] = palettes[colours] ?? fail(colours);
    const mailTheme = theme === "formal" ? "formal" : "fancy";
    return backend.forms.create({
      name: name.slice(0, 128),
      spam: { protection: false },
      settings: { language: tag },
      validation: { rules },
      self_email_notification: {
        // Nobody gets more than 60 notifications an hour, and the clock stands.
        recipients: [`owner${++owners}@example.com`],
        include_spam: true,
        logo_url: logo ? `${origin}/logo.svg` : "",
        template: { theme: mailTheme },
      },
      auto_response: {
        enabled: true,
        logo_url: logo ? `${origin}/logo.svg` : "",
        template: { theme: mailTheme, message: reply },
      },
      after_submit: {
        page: {
          theme: /** @type {"fancy" | "formal" | "sweet"} */ (theme),
          mode: /** @type {"light" | "dark" | "system"} */ (mode),
          headline,
          message,
          primary_color,
          secondary_color,
          logo_url: logo ? `${origin}/logo.svg` : "",
          logo_dark_url: logo ? `${origin}/logo-dark.svg` : "",
          return_button: { text: button },
          download_button: sample === "short" ? { text: "" } : { text: "Download", url: `${origin}/logo.svg` },
        },
      },
    });
  }

  /**
   * A page as the visitor's browser gets it.
   * @param {View} view
   */
  async function page(view) {
    if (!pageKinds.includes(view.kind)) fail(view.kind);
    const refused = [
      { field: "email", checks: [{ type: "min_length", value: "100" }] },
      { field: "phone", checks: [{ type: "required" }] },
    ];
    const form = await formOf(view, view.kind === "error" ? refused : []);
    if (view.kind === "endpoint") return backend.fetch(new Request(form.endpoint));
    const body = new URLSearchParams((samples[view.sample] ?? fail(view.sample)).fields);
    const headers = { referer: `${origin}/`, accept: "text/html" };
    const answer = await backend.fetch(new Request(form.endpoint, { method: "POST", body, headers }));
    const to = answer.headers.get("location");
    return to === null ? answer : backend.fetch(new Request(to, { headers }));
  }

  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  /**
   * A mail as its mailer gets it. One after the other, because they are told apart by their order.
   * @param {View} view
   */
  function mail(view) {
    const next = last.then(() => send(view));
    last = next.catch(() => {});
    return next;
  }

  /** @param {View} view */
  async function send(view) {
    if (!mailKinds.includes(view.kind)) fail(view.kind);
    const form = await formOf(view);
    // Nobody gets more than three automatic replies an hour, so each preview is somebody else's.
    const fields = (samples[view.sample] ?? fail(view.sample)).fields.map(([key, value]) => ({
      key,
      value: key === "email" ? value.replace("@", `${++visitors}@`) : value,
    }));
    const body = new FormData();
    for (const { key, value } of fields) body.append(key, value);
    for (const [name, size] of (samples[view.sample] ?? fail(view.sample)).files)
      body.append("attachment", new Blob(["x".repeat(size)], { type: "text/plain" }), name);
    // The owner of a form may want to see spam; a reply to it is never sent.
    if (view.sample === "hostile" && view.kind === "notification") body.append("_gotcha", "a robot filled this in");
    const before = backend.mails.length;
    await backend.fetch(new Request(form.endpoint, { method: "POST", body }));
    await backend.tick();
    const isReply = view.kind === "auto-response";
    const found = backend.mails.slice(before).find(({ to }) => !to.address.startsWith("owner") === isReply);
    return found ?? fail(view.kind);
  }

  // Something to see in the inbox.
  for (const [sample, theme] of [
    ["short", "fancy"],
    ["long", "formal"],
  ])
    if (samples[sample])
      await page({ kind: "thank-you", theme, mode: "light", sample, colours: Object.keys(palettes)[0] });

  return { page, mail, forms: formBackend(backend), close: () => backend.close() };
}

/** @returns {never} */
function fail(/** @type {string} */ what) {
  throw new Error(`There is no preview of "${what}".`);
}
