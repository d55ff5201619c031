// @ts-check
import { createTestBackend } from "form-backend/testing";
import { palettes, samples } from "./samples.mjs";

/**
 * @typedef {object} View
 * @property {string} kind
 * @property {string} theme
 * @property {string} mode
 * @property {string} sample
 * @property {string} colours
 */

export const pageKinds = ["thank-you", "error", "endpoint"];
export const mailKinds = ["notification", "auto-response"];

/**
 * The pages and mails as the library itself makes them, from real submissions to real forms.
 * @param {string} origin where the preview runs, for the logo
 */
export function renderer(origin) {
  const backend = createTestBackend({
    baseUrl: `${origin}/forms`,
    from: "Example Ltd. <forms@example.com>",
    rateLimit: false,
  });
  let visitors = 0;

  /** @param {View} view */
  async function formOf({ theme, mode, sample, colours }) {
    const { name, headline, message, button, reply, logo } = samples[sample] ?? fail(sample);
    const [primary_color, secondary_color] = palettes[colours] ?? fail(colours);
    const mailTheme = theme === "formal" ? "formal" : "fancy";
    return backend.forms.create({
      name: name.slice(0, 128),
      spam: { protection: false },
      validation: { rules: sample === "short" ? [] : [{ field: "phone", checks: [{ type: "required" }] }] },
      self_email_notification: {
        recipients: ["owner@example.com"],
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
    const form = await formOf(view);
    if (view.kind === "endpoint") return backend.fetch(new Request(form.endpoint));
    const rules =
      view.kind === "error"
        ? [
            { field: "email", checks: [check("min_length", "100")] },
            { field: "phone", checks: [check("required")] },
          ]
        : [];
    await backend.forms.update(form.id, { validation: { rules } });
    const body = new URLSearchParams((samples[view.sample] ?? fail(view.sample)).fields);
    const headers = { referer: `${origin}/`, accept: "text/html" };
    return backend.fetch(new Request(form.endpoint, { method: "POST", body, headers }));
  }

  /**
   * A mail as its mailer gets it.
   * @param {View} view
   */
  async function mail(view) {
    const form = await formOf(view);
    await backend.forms.update(form.id, { validation: { rules: [] } });
    // Nobody gets more than three automatic replies an hour, so each preview is somebody else's.
    const fields = (samples[view.sample] ?? fail(view.sample)).fields.map(([key, value]) => ({
      key,
      value: key === "email" ? value.replace("@", `${++visitors}@`) : value,
    }));
    const before = backend.mails.length;
    await backend.submit(form.id, { fields });
    await backend.tick();
    const isReply = view.kind === "auto-response";
    const found = backend.mails.slice(before).find(({ to }) => (to.address !== "owner@example.com") === isReply);
    return found ?? fail(view.kind);
  }

  return { page, mail, close: () => backend.close() };
}

/** @param {string} type @param {string} [value] */
const check = (type, value = "") => /** @type {any} */ ({ type, value });

/** @returns {never} */
function fail(/** @type {string} */ what) {
  throw new Error(`There is no preview of "${what}".`);
}
