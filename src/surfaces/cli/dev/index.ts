import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Mail } from "../../../drivers/mailer/types.ts";
import { memoryStorage } from "../../../drivers/storage/memory.ts";
import type { HostForm } from "../../../model/forms.ts";
import { createFormBackend, type FormBackend } from "../../form-backend.ts";
import { inbox } from "../../inbox/index.ts";
import { formBackend } from "../../node/listener.ts";
import { agentLine, agentOptions, answeredMetadata } from "../agents.ts";
import type { Context } from "../context.ts";
import { type Drivers, fileDrivers } from "../drivers.ts";
import { secretOf, settingsOf } from "../environment.ts";
import { ownerLink } from "../owner.ts";
import { listen, stopped } from "../server.ts";
import { openFolder, writeWhole } from "./folder.ts";
import { mailboxIn } from "./mailbox.ts";
import { type Received, receiverIn } from "./receiver.ts";
import { devSite } from "./site.ts";
import { visitorAt } from "./visitor.ts";

/** Kept from one start to the next. */
interface Kept {
  api_key: string;
  webhook_secret: string;
}

/** The webhook of the receiver, by its description. */
const RECEIVER = "form-backend dev";

/** Everything on one port of this machine, with its data in `folder`, until the signal aborts. */
export async function dev({ io, json, show, say }: Context, wanted: number, folder: string): Promise<void> {
  // Its data is its own, so variables of a production store don't count.
  const { FORM_BACKEND_SECRET, NODE_ENV } = io.env;
  const secret = secretOf({ FORM_BACKEND_SECRET, NODE_ENV });
  const drivers = await storeIn(folder);
  const site = await listen(wanted, "127.0.0.1");
  const origin = `http://localhost:${site.port}`;
  const mailbox = await openFolder<Mail>(join(folder, "mailbox"));
  const webhooks = await openFolder<Received>(join(folder, "webhooks"));
  const agents = agentOptions();
  const visitor = visitorAt(`${origin}/forms`);
  const backend = createFormBackend({
    baseUrl: `${origin}/forms`,
    from: "Forms <forms@example.com>",
    ...settingsOf({}),
    ...(secret && { secret }),
    ...drivers.options,
    mailer: mailboxIn(mailbox),
    inbound: visitor.inbound,
    inbox: inbox({ apiKeys: true }),
    ...agents,
    // The receiver is on this machine. After a kill -9, what was under way goes on after four times the limit.
    webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8", "::1/128"], timeoutMs: 2_000 },
  });
  try {
    const form = await backend.forms.ensure("contact", {
      name: "Contact",
      self_email_notification: { recipients: ["owner@example.com"] },
    });
    const kept = await keptIn(drivers.lasts ? join(folder, "dev.json") : null, backend, form, `${origin}/webhooks`);
    const inboxUrl = `${backend.baseUrl}/inbox`;
    const receive = await receiverIn(webhooks, kept.webhook_secret);
    const writeBack = (mail: Mail, text: string): Promise<number> =>
      visitor.answer(mail, text, (request) => backend.handle(request, { ip: "127.0.0.1" }));
    const back = { canAnswer: visitor.canAnswer, writeBack };
    const own = devSite({ port: site.port, endpoint: form.endpoint, inboxUrl, mailbox, webhooks, receive, ...back });
    const forms = formBackend(backend);
    site.answer((req, res) => {
      if (agents.mcp && answeredMetadata(backend, req, res)) return;
      if (req.url?.startsWith("/forms/")) forms(req, res);
      else own(req, res);
    });
    // The receiver responds by now.
    await backend.ready();
    const places = {
      form: `${origin}/`,
      mailbox: `${origin}/mailbox`,
      webhooks: `${origin}/webhooks`,
      inbox: await ownerLink(backend),
    };
    if (json) await show({ url: backend.baseUrl, ...places, endpoint: form.endpoint, key: kept.api_key });
    else {
      await io.out(`Form      ${places.form}
Mailbox   ${places.mailbox}
Webhooks  ${places.webhooks}
Inbox     ${places.inbox}
MCP       ${agentLine(agents, backend.baseUrl)}
Endpoint  ${form.endpoint}
API key   ${kept.api_key}
`);
    }
    say(`\nFor the other commands:\n  export FORM_BACKEND_URL=${backend.baseUrl} FORM_BACKEND_KEY=${kept.api_key}`);
    if (drivers.lasts) say(`\nEverything is kept in ${folder}. Stop with Ctrl-C.`);
    else {
      say(
        "\nThis Node has no SQLite, so forms and submissions are kept in memory, until Ctrl-C. To keep them, use Node 22.13 or newer,",
      );
      say("or add a package: npx --package=form-backend --package=@photostructure/sqlite form-backend dev");
    }
    await stopped(io.signal);
  } finally {
    site.refuse();
    await backend.close();
    site.cut();
    await drivers.close();
  }
}

/** SQLite in the folder; memory where neither Node has it nor the package for it is installed, so that a first try needs no set-up. */
async function storeIn(folder: string): Promise<Drivers & { readonly lasts: boolean }> {
  const drivers = await fileDrivers(folder, { create: true });
  try {
    await drivers.options.storage?.open();
    return { ...drivers, lasts: true };
  } catch (error) {
    if (!/no SQLite engine|its native file/.test(String(error))) throw error;
    return { ...drivers, options: { storage: memoryStorage() }, place: "memory", lasts: false };
  }
}

/** The key and the webhook of earlier starts, made where they are missing. Without a file, nothing outlasts the process. */
async function keptIn(file: string | null, backend: FormBackend, form: HostForm, url: string): Promise<Kept> {
  const before = JSON.parse(file === null ? "{}" : await readFile(file, "utf8").catch(() => "{}")) as Partial<Kept>;
  const found = form.webhooks.find(({ description }) => description === RECEIVER);
  let { api_key, webhook_secret } = before;
  if (!found) webhook_secret = (await backend.webhooks.create(form.id, { url, description: RECEIVER })).secret;
  else if (webhook_secret === undefined) {
    webhook_secret = (await backend.webhooks.rotateSecret(form.id, found.id, { expire_previous: true })).secret;
  }
  if (found && found.url !== url) await backend.webhooks.update(form.id, found.id, { url });
  // It is gone with the database, where somebody deleted that.
  if (api_key !== undefined) {
    const headers = { authorization: `Bearer ${api_key}` };
    const { status } = await backend.fetch(new Request(`${backend.baseUrl}/v1/me`, { headers }));
    if (status === 401) api_key = undefined;
  }
  api_key ??= (await backend.keys.create({ name: "dev", scopes: "all" })).key;
  const kept = { api_key, webhook_secret };
  if (file !== null) await writeWhole(file, kept);
  return kept;
}
