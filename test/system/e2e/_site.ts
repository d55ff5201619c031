import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import express from "express";
import { formBackend } from "../../../adapters/express.ts";
import { fsBlob } from "../../../src/drivers/blob/fs.ts";
import { createFormBackend, type Form, type FormBackend } from "../../../src/index.ts";
import { browserScript } from "../../_support/browser-script.ts";

export interface FormSite {
  readonly origin: string;
  readonly backend: FormBackend;
  readonly form: Form;
  /** Bytes of every blob, as text. */
  blobs(): string[];
  close(): Promise<void>;
}

const fields = `
  <p><label for="name">Name</label> <input id="name" name="name" autocomplete="name"></p>
  <p><label>Email <input name="email" aria-describedby="hint"></label> <span id="hint">We only use it to answer.</span></p>
  <fieldset><legend>Topic</legend>
    <label><input type="radio" name="topic" value="praise"> Praise</label>
    <label><input type="radio" name="topic" value="question"> Question</label>
  </fieldset>
  <p><label for="message">Message</label> <textarea id="message" name="message"></textarea></p>
  <p><label for="cv">CV</label> <input id="cv" name="cv" type="file"></p>
  <p style="display:none"><label>Leave this empty <input name="_gotcha"></label></p>
  <p><button name="via" value="button">Send</button></p>`;

const page = (content: string, script = ""): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Contact</title></head><body><main><h1>Contact</h1>${content}</main>${script}</body></html>`;

/** An Express app with a form on a page without script (`/`), with the one tag (`/tag`) and with the import (`/import`). */
export async function startFormSite(): Promise<FormSite> {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-e2e-"));
  const script = readFileSync(await browserScript(), "utf8");
  const app = express();
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const backend = createFormBackend({ baseUrl: `${origin}/forms`, blob: fsBlob({ dir }), rateLimit: false });
  const form = await backend.forms.create({
    name: "Contact",
    validation: {
      rules: [
        { field: "name", checks: [{ type: "required" }] },
        { field: "email", checks: [{ type: "required" }, { type: "email" }] },
        { field: "topic", checks: [{ type: "required", message: "Please choose a topic." }] },
      ],
    },
  });
  const open = (attributes = "", content = fields): string =>
    `<form action="${form.endpoint}" method="post" enctype="multipart/form-data"${attributes}>${content}</form>`;
  app.use("/forms", formBackend(backend));
  app.get("/browser.js", (_, response) => void response.type("js").send(script));
  app.get("/", (_, response) => void response.send(page(open())));
  app.get("/thanks", (_, response) => void response.send(page("<p>Thanks, from another page</p>")));
  app.get("/tag", (_, response) => {
    response.send(page(open(" data-form-backend"), '<script type="module" src="/browser.js"></script>'));
  });
  app.get("/import", (_, response) => {
    const start = `import { enhance } from "/browser.js"; window.undo = enhance(document.querySelector("form"), { failed: "Oh no.", offline: "No network." });`;
    response.send(
      page(
        open("", `<p data-form-backend-status role="status"></p>${fields}`),
        `<script type="module">${start}</script>`,
      ),
    );
  });
  return {
    origin,
    backend,
    form,
    blobs: () =>
      readdirSync(dir, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => readFileSync(join(dir, name), "utf8")),
    async close() {
      server.close();
      server.closeAllConnections();
      await backend.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
