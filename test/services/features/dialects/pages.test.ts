import { expect, it } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { ADDRESS, ALIAS, FAULT, openSite, REFUSED } from "./_site.ts";

/** A page as the documentation of a service shows it, with another URL. */
interface Example {
  name: string;
  /** Where the form posts to; null for the page's own address. */
  action: (base: string) => string;
  /** Hidden fields. */
  hidden?: Record<string, string>;
  /** The script that its documentation gives for pages without a reload; `status` shows what came of it. */
  script: (base: string) => string;
  /** What the script shows when all went well. */
  taken: string;
  /** What it shows of a refused post, where it shows no message of the service. */
  refused?: string;
}

/** Their scripts begin alike. */
const onSubmit = (body: string): string => `
  const form = document.getElementById("form");
  const status = document.getElementById("status");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const data = new FormData(form);
    ${body}
  });`;

const examples: Example[] = [
  {
    name: "Formspree",
    action: (base) => `${base}/f/${ALIAS}`,
    script: () =>
      onSubmit(`
        fetch(form.action, { method: form.method, body: data, headers: { Accept: "application/json" } }).then((response) => {
          if (response.ok) { status.innerText = "Thanks for your submission!"; form.reset(); return; }
          response.json().then((answer) => {
            status.innerText = Object.hasOwn(answer, "errors")
              ? answer.errors.map((error) => error.message).join(", ")
              : "Oops! There was a problem submitting your form";
          });
        });`),
    taken: "Thanks for your submission!",
  },
  {
    name: "Formcarry",
    action: (base) => `${base}/s/${ALIAS}`,
    script: (base) =>
      onSubmit(`
        fetch("${base}/s/${ALIAS}", {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json" },
          body: JSON.stringify(Object.fromEntries(data)),
        }).then((response) => response.json()).then((answer) => {
          if (answer.code === 200) status.innerText = "We received your submission, thank you!";
          else if (answer.errors) status.innerText = Object.values(answer.errors)[0].message;
          else status.innerText = answer.message;
        });`),
    taken: "We received your submission",
  },
  {
    name: "Web3Forms, with JSON",
    action: (base) => `${base}/submit`,
    hidden: { access_key: ALIAS, subject: "New message", from_name: "Site", botcheck: "" },
    script: (base) =>
      onSubmit(`
        fetch("${base}/submit", {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json" },
          body: JSON.stringify(Object.fromEntries(data)),
        }).then(async (response) => {
          const json = await response.json();
          status.innerText = response.status == 200 ? "200 " + json.message : json.message;
        });`),
    taken: "200 ",
  },
  {
    name: "Web3Forms, with FormData and no header",
    action: (base) => `${base}/submit`,
    hidden: { access_key: ALIAS },
    script: (base) =>
      onSubmit(`
        const response = await fetch("${base}/submit", { method: "POST", body: data });
        const answer = await response.json();
        status.innerText = answer.success ? "Form Submitted Successfully" : answer.message;`),
    taken: "Form Submitted Successfully",
  },
  {
    name: "StaticForms",
    action: (base) => `${base}/submit`,
    hidden: { accessKey: ALIAS, replyTo: "@", honeypot: "" },
    script: (base) =>
      onSubmit(`
        const response = await fetch("${base}/submit", {
          method: "POST",
          body: JSON.stringify(Object.fromEntries(data)),
          headers: { "Content-Type": "application/json" },
        });
        const json = await response.json();
        status.innerText = json.success ? "Sent: " + json.message : json.message;`),
    taken: "Sent: ",
  },
  {
    name: "FormSubmit",
    action: (base) => `${base}/formsubmit/${ADDRESS}`,
    hidden: { _subject: "New", _captcha: "false", _template: "table", _honey: "" },
    script: (base) =>
      onSubmit(`
        fetch("${base}/formsubmit/ajax/${ADDRESS}", {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json" },
          body: JSON.stringify(Object.fromEntries(data)),
        }).then((response) => response.json()).then((answer) => {
          status.innerText = answer.success === "true" ? "Delivered" : answer.message;
        });`),
    taken: "Delivered",
  },
  {
    name: "Netlify",
    action: () => "",
    hidden: { "form-name": "contact", "bot-field": "" },
    // It reads no answer.
    script: () =>
      onSubmit(`
        fetch("/", {
          method: "POST",
          headers: { "Content-Type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(data).toString(),
        }).then((response) => { status.innerText = response.ok ? "Form successfully submitted" : "Error " + response.status; });`),
    taken: "Form successfully submitted",
    refused: "Error 422",
  },
  {
    name: "Basin",
    action: (base) => `${base}/basin/${ALIAS}`,
    script: () =>
      onSubmit(`
        const request = new XMLHttpRequest();
        request.open("POST", form.action, true);
        request.setRequestHeader("Accept", "application/json");
        request.onload = () => {
          status.innerText = request.status === 200 ? "Thanks for contacting us!" : JSON.parse(request.response).error;
        };
        request.send(data);`),
    taken: "Thanks for contacting us!",
  },
  {
    name: "Formspark",
    action: (base) => `${base}/formspark/${ALIAS}`,
    hidden: { "_email.subject": "New", _honeypot: "" },
    script: (base) =>
      onSubmit(`
        const response = await fetch("${base}/formspark/${ALIAS}", {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json" },
          body: JSON.stringify(Object.fromEntries(data)),
        });
        status.innerText = response.ok ? "Form submitted" : (await response.json()).error;`),
    taken: "Form submitted",
  },
];

const pageOf = ({ action, hidden = {} }: Example, base: string, script = ""): string => `
  <form id="form" method="POST" action="${action(base)}">
    ${Object.entries(hidden)
      .map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
      .join("")}
    <label>Your email <input type="email" name="email" required></label>
    <label>Your message <textarea name="message" required></textarea></label>
    <button type="submit">Send</button>
  </form>
  <p id="status"></p><script>${script}</script>`;

/** `subject` is the visitor's, and stored as well. */
const stored = ({ hidden = {} }: Example) => [
  {
    fields: {
      ...("subject" in hidden && { subject: hidden["subject"] }),
      email: "ann@example.com",
      message: "Hi",
    },
    spam: [],
  },
];

describeBrowser("pages of other services, with another URL", (browser) => {
  const newPage = (options?: object) => browser().newPage(options);

  it.each(examples)(
    "$name: its script shows what is wrong, and what was taken",
    { timeout: 120_000 },
    async (example) => {
      const site = await openSite(newPage);
      const { page, base } = site;
      await site.show(pageOf(example, base, example.script(base)));
      await page.fill("[name=email]", "ann@example.com");
      await page.fill("[name=message]", REFUSED);
      await page.click("button");
      await page.locator("#status", { hasText: example.refused ?? FAULT }).waitFor();
      expect(await site.stored()).toEqual([]);
      await page.fill("[name=message]", "Hi");
      await page.click("button");
      await page.locator("#status", { hasText: example.taken }).waitFor();
      expect(await site.stored()).toEqual(stored(example));
      expect(page.url()).toBe(`${site.origin}/`);
    },
  );

  it.each(examples)("$name: works without JavaScript", { timeout: 120_000 }, async (example) => {
    const site = await openSite(newPage, { script: false });
    const { page, base } = site;
    await site.show(pageOf(example, base));
    await page.fill("[name=email]", "ann@example.com");
    await page.fill("[name=message]", REFUSED);
    await page.click("button");
    await page.getByText(FAULT).first().waitFor();
    expect(await site.stored()).toEqual([]);
    await page.fill("[name=message]", "Hi");
    await page.click("button");
    await page.waitForURL(/\/thanks\//);
    expect(await site.stored()).toEqual(stored(example));
  });
});
