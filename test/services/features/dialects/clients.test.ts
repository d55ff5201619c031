import { build } from "esbuild";
import { expect, it } from "vitest";
import { describeBrowser } from "../../../_support/browser.ts";
import { ALIAS, FAULT, openSite, REFUSED } from "./_site.ts";

/** A script of a page with a client from npm. `swapped` replaces a URL that is written into the client. */
async function bundled(source: string, swapped: readonly [from: string, to: string] | null): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, loader: "jsx", resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: "iife",
    // The field `browser` of @formspree/ajax names a file without exports.
    mainFields: ["module", "main"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  const text = outputFiles[0]?.text ?? "";
  if (!swapped) return text;
  expect(text).toContain(swapped[0]);
  return text.replaceAll(...swapped);
}

const react = (component: string): string => `
  import React from "react";
  import { createRoot } from "react-dom/client";
  ${component}
  createRoot(document.getElementById("app")).render(<App />);`;

interface Client {
  name: string;
  /** The page before its script, which stays the form of those without one. */
  html: (base: string) => string;
  script: (base: string) => string;
  /** The URL that is written into the client, and ours in its place. */
  swap?: (base: string) => readonly [string, string];
  preflight: boolean;
  /** Says what is shown when the post was taken. */
  taken: string;
  fields?: Record<string, string>;
}

const plain = (action: string, hidden = ""): string =>
  `<form id="form" method="post" action="${action}">${hidden}<input name="email"><input name="message"><button>Send</button></form>`;

const clients: Client[] = [
  {
    name: "@formspree/ajax",
    html: (
      base,
    ) => `<div id="app"><form id="form" method="post" action="${base}/f/${ALIAS}"><div data-fs-error></div><div data-fs-success></div>
      <input name="email"><input name="message" data-fs-field><span id="fault" data-fs-error="message"></span>
      <button data-fs-submit-btn>Send</button></form></div>`,
    script: (base) => `import { initForm } from "@formspree/ajax";
      initForm({ formElement: "#form", formId: "${ALIAS}", origin: "${base}" });`,
    preflight: true,
    taken: "Thank you!",
  },
  {
    name: "@formspree/react",
    html: (base) => `<div id="app">${plain(`${base}/f/${ALIAS}`)}</div>`,
    script: (base) =>
      react(`import { useForm, ValidationError } from "@formspree/react";
      function App() {
        const [state, submit] = useForm("${ALIAS}", { endpoint: "${base}" });
        if (state.succeeded) return <p>Thank you!</p>;
        return <form id="form" onSubmit={submit}><input name="email" /><input name="message" />
          <ValidationError id="fault" field="message" errors={state.errors} /><button>Send</button></form>;
      }`),
    preflight: true,
    taken: "Thank you!",
  },
  {
    name: "@web3forms/react",
    html: (base) =>
      `<div id="app">${plain(`${base}/submit`, `<input type="hidden" name="access_key" value="${ALIAS}">`)}</div>`,
    script: () =>
      react(`import useWeb3Forms from "@web3forms/react";
      function App() {
        const [told, tell] = React.useState("");
        const { submit } = useWeb3Forms({ access_key: "${ALIAS}", settings: { from_name: "Site" }, onSuccess: (message) => tell("Taken: " + message), onError: tell });
        const send = (event) => { event.preventDefault(); submit(Object.fromEntries(new FormData(event.target))); };
        return <form id="form" onSubmit={send}><input name="email" /><input name="message" /><p id="fault">{told}</p><button>Send</button></form>;
      }`),
    swap: (base) => ["https://api.web3forms.com", base],
    preflight: true,
    taken: "Taken: ",
  },
  {
    name: "@formcarry/react",
    html: (base) => `<div id="app">${plain(`${base}/s/${ALIAS}`)}</div>`,
    script: () =>
      react(`import { useForm } from "@formcarry/react";
      function App() {
        const { state, submit } = useForm({ id: "${ALIAS}", debug: false });
        if (state.submitted) return <p>Thank you!</p>;
        return <form id="form" onSubmit={submit}><input name="email" /><input name="message" />
          <p id="fault">{state.error ? state.error.errors.message.message : ""}</p><button>Send</button></form>;
      }`),
    swap: (base) => ["https://formcarry.com", base],
    // An `Accept` and a form's data need none.
    preflight: false,
    taken: "Thank you!",
  },
];

describeBrowser("clients from npm, on a page of another origin", (browser) => {
  const newPage = (options?: object) => browser().newPage(options);

  it.each(clients)("$name shows what is wrong, and what was taken", { timeout: 120_000 }, async (client) => {
    const site = await openSite(newPage);
    const { page, base } = site;
    await site.show(client.html(base));
    await page.addScriptTag({ content: await bundled(client.script(base), client.swap?.(base) ?? null) });
    await page.fill("[name=email]", "ann@example.com");
    await page.fill("[name=message]", REFUSED);
    await page.click("button");
    await page.getByText(FAULT).first().waitFor();
    expect(await site.stored()).toEqual([]);
    await page.fill("[name=message]", "Hi");
    await page.click("button");
    await page.getByText(client.taken).first().waitFor();
    expect(await site.stored()).toEqual([{ fields: { email: "ann@example.com", message: "Hi" }, spam: [] }]);
    expect(new URL(page.url()).origin).toBe(site.origin);
    expect(site.preflights.length > 0).toBe(client.preflight);
  });

  it.each(clients)("the page of $name works without JavaScript", { timeout: 120_000 }, async (client) => {
    const site = await openSite(newPage, { script: false });
    const { page, base } = site;
    await site.show(client.html(base));
    await page.fill("[name=email]", "ann@example.com");
    await page.fill("[name=message]", REFUSED);
    await page.click("button");
    await page.getByText(FAULT).first().waitFor();
    expect(await site.stored()).toEqual([]);
    await page.fill("[name=message]", "Hi");
    await page.click("button");
    await page.waitForURL(/\/thanks\//);
    expect(await site.stored()).toEqual([{ fields: { email: "ann@example.com", message: "Hi" }, spam: [] }]);
  });

  it("Formspree's client tells of a browser that a program drives", { timeout: 120_000 }, async () => {
    const site = await openSite(newPage);
    const { page, base } = site;
    const [client] = clients as [Client];
    await page.goto(site.origin);
    await page.evaluate("window.name = 'driven'");
    await site.show(client.html(base));
    await page.addScriptTag({ content: await bundled(client.script(base), null) });
    await page.fill("[name=message]", "Hi");
    await page.click("button");
    await page.getByText(client.taken).first().waitFor();
    expect(await site.stored()).toEqual([{ fields: { email: "", message: "Hi" }, spam: ["session"] }]);
  });
});
