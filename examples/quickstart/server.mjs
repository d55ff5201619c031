// @ts-check
// A site with a contact form and everything behind it, on one port: `npm run demo`.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import express from "express";
import { createFormBackend } from "form-backend";
import { smtpMailer } from "form-backend/drivers/mailer/smtp";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";
import { formBackend } from "form-backend/express";
import { rawInbound } from "form-backend/inbound";
import { inbox } from "form-backend/inbox";
import { mcp } from "form-backend/mcp";
import { startMailbox } from "./mailbox.mjs";
import { webhookReceiver } from "./receiver.mjs";

const port = Number(process.env.PORT ?? 3000);
const site = `http://localhost:${port}`;
const here = import.meta.dirname;
const dir = resolve(process.env.DEMO_DIR ?? ".demo");
await mkdir(dir, { recursive: true, mode: 0o700 });

// What must outlive a restart besides the data. A real site has these in its environment or its secret store.
const settingsFile = join(dir, "settings.json");
const settings = existsSync(settingsFile) ? JSON.parse(await readFile(settingsFile, "utf8")) : {};
async function keep(/** @type {Record<string, string>} */ values) {
  Object.assign(settings, values);
  await writeFile(`${settingsFile}.part`, JSON.stringify(settings, null, 2), { mode: 0o600 });
  await rename(`${settingsFile}.part`, settingsFile);
}
if (!settings.secret) await keep({ secret: randomBytes(32).toString("hex") });

// While this file exists, the mailbox and the webhook receiver refuse everything: a way to see deliveries being retried.
const offline = () => existsSync(join(dir, "offline"));
// Answers from the inbox ask to be written to at an address in this domain. The mail server passes what comes there to the backend, as Postfix
// does over a pipe.
const inboundDomain = "in.example.com";
const inboundSecret = randomBytes(24).toString("base64url");
const mailbox = await startMailbox({
  dir: join(dir, "mailbox"),
  offline,
  domain: inboundDomain,
  async pass(raw, to) {
    const headers = { authorization: `Bearer ${inboundSecret}`, "content-type": "message/rfc822" };
    const url = `${site}/forms/inbound/raw?${new URLSearchParams({ to })}`;
    return (await fetch(url, { method: "POST", headers, body: raw })).ok;
  },
});
const receiver = await webhookReceiver({ dir: join(dir, "webhooks"), offline, secret: () => settings.webhook_secret });

const backend = createFormBackend({
  baseUrl: `${site}/forms`,
  secret: settings.secret,
  storage: sqliteStorage({ path: join(dir, "forms.db") }),
  mailer: smtpMailer(mailbox.url),
  from: "Contact form <forms@example.com>",
  inbound: { domain: inboundDomain, providers: [rawInbound({ secret: inboundSecret })] },
  // The demo has no login of its own: people come in by the link that is printed below, or with the API key.
  inbox: inbox({ apiKeys: true, theme: { primary: "#0f766e" } }),
  // For agents, with an API key: http://localhost:3000/forms/mcp.
  mcp: mcp(),
  webhooks: {
    // The demo's receiver is on this machine, which webhooks must not reach by default: leave both out on a real site.
    allowHttp: true,
    allowCidrs: ["127.0.0.0/8", "::1/128"],
    // What ran at a kill -9 comes back after four times this: 8 s here, a minute by default.
    timeoutMs: 2_000,
  },
  plans: { unlimited: { webhooks_per_form: 10 } },
});

const app = express();
app.use("/forms", formBackend(backend));
app.use((_req, res, next) => {
  res.set(
    "Content-Security-Policy",
    "default-src 'none'; style-src 'self'; img-src data:; frame-src 'self'; base-uri 'none'",
  );
  next();
});
app.use("/mailbox", mailbox.router);
app.use("/webhooks", receiver);
app.get("/style.css", (_req, res) => res.sendFile(join(here, "style.css")));

// Loopback only, because the mailbox has no login. The receiver has to be there before the backend begins to deliver.
const server = app.listen(port, "127.0.0.1", (error) => (error ? fail(error) : start().catch(fail)));

async function start() {
  const form = await ensureForm();
  const page = (await readFile(join(here, "contact.html"), "utf8")).replace("{{endpoint}}", form.endpoint);
  app.get("/", (_req, res) => res.send(page));
  const inboxLink = async () => {
    const user = { id: "demo", name: "You" };
    return (await backend.inbox.link({ team_ids: ["default"], role: "admin", user })).url;
  };
  // A fresh link each time: it works once, and this server answers its own machine alone.
  app.get("/inbox", async (_req, res) => res.redirect(await inboxLink()));
  console.log(`
  Contact form   ${site}/
  Inbox          ${await inboxLink()}
  Mailbox        ${site}/mailbox
  Webhooks       ${site}/webhooks
  API key        ${settings.api_key}

  Ask the management API:
  curl -s ${site}/forms/v1/forms -H "Authorization: Bearer ${settings.api_key}"

  Everything is kept in ${dir}. Stop with Ctrl-C.
`);
}

/** Makes the form, its webhook and an API key on the first start, and finds them again on the next ones. */
async function ensureForm() {
  const url = `${site}/webhooks`;
  const known = settings.form_id && (await backend.forms.get(settings.form_id).catch(() => null));
  if (known) {
    const [webhook] = known.webhooks;
    if (webhook && webhook.url !== url) await backend.webhooks.update(known.id, webhook.id, { url }); // another PORT than before
    return known;
  }
  const { key } = await backend.keys.create({ name: "demo", scopes: "all" });
  const form = await backend.forms.create({
    name: "Contact",
    self_email_notification: { recipients: ["owner@example.com"] },
    after_submit: { page: { mode: "system", primary_color: "#0f766e", message: "Your message is on its way to us." } },
  });
  const { secret } = await backend.webhooks.create(form.id, { url });
  await keep({ api_key: key, form_id: form.id, webhook_secret: secret });
  return form;
}

/** @param {any} error */
function fail(error) {
  const taken = error.code === "EADDRINUSE";
  console.error(taken ? `Port ${port} is taken. Choose another one: PORT=${port + 1} npm run demo` : error);
  process.exit(1);
}

// Ends what runs, gives back what waits, and leaves the rest for the next start.
async function stop() {
  await backend.close();
  server.close();
  server.closeAllConnections();
  await mailbox.close();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
