import { resolve } from "node:path";
import { createFormBackend, type FormBackend } from "../../form-backend.ts";
import { inbox } from "../../inbox/index.ts";
import { formBackend } from "../../node/listener.ts";
import { agentLine, agentOptions, answeredMetadata } from "../agents.ts";
import type { Context } from "../context.ts";
import type { Register } from "../declare.ts";
import { dev } from "../dev/index.ts";
import { databaseUrl, driversOf, FOLDER } from "../drivers.ts";
import { portOf, secretOf, settingsOf, variable } from "../environment.ts";
import { misuse } from "../failure.ts";
import { ownerLink } from "../owner.ts";
import { listen, stopped } from "../server.ts";
import { integer } from "../values.ts";

interface ServeOptions {
  readonly port?: number;
  readonly host?: string;
}

const ENVIRONMENT = `
Environment:
  FORM_BACKEND_URL     the URL from outside (default: http://localhost:<port>)
  FORM_BACKEND_SECRET  at least 32 characters; required in production
  FORM_BACKEND_FROM    the sender of emails, such as "Forms <forms@example.com>"
  PORT                 the port (default: 3000)
  SMTP_URL             the mail server; without it, emails are printed
  DATABASE_URL         PostgreSQL or MySQL; without it, ${FOLDER}/forms.db
  REDIS_URL            wakes other processes, and counts rates for all
  S3_URL               uploads: https://<key id>:<secret>@<host>/<bucket>
  FORM_BACKEND_TRUST_PROXY    the number of proxies in front, or their networks
  FORM_BACKEND_WEBHOOK_CIDRS  private networks that webhooks may reach`;

/** `serve` and `dev`. */
export const serveCommands: Register = (program, { store, action }) => {
  store(program.command("serve").description("Run a form backend on its own: endpoints, inbox, API, emails, webhooks."))
    .option("--port <number>", "port, instead of PORT; 0 for a free one", integer(0, 65_535))
    .option("--host <address>", "listen on this address only")
    .addHelpText("after", ENVIRONMENT)
    .action(action(serve));

  store(
    program
      .command("dev")
      .description(
        `Try everything on this machine: a form, a mailbox, a webhook receiver. Keeps its data in ${FOLDER}.`,
      ),
  )
    .option("--port <number>", "port; 0 for a free one (default: 3333)", integer(0, 65_535))
    .action(action((context, { port = 3333 }: ServeOptions) => dev(context, port, resolve(context.io.cwd, FOLDER))));
};

async function serve({ io, json, show, say }: Context, options: ServeOptions): Promise<void> {
  const { env } = io;
  const given = variable(env, "FORM_BACKEND_URL");
  if (given !== undefined && !/^https?:\/\//.test(given))
    throw misuse("FORM_BACKEND_URL must begin with https:// or http://.");
  const settings = settingsOf(env);
  databaseUrl(env);
  const secret = secretOf(env);
  const port = portOf(env, options.port);
  const drivers = await driversOf(io, { create: true, servers: ["SMTP_URL", "REDIS_URL", "S3_URL"] });
  const site = await listen(port, options.host).catch(async (error: unknown) => {
    await drivers.close();
    throw error;
  });
  const agents = agentOptions();
  try {
    const backend = createFormBackend({
      baseUrl: given ?? `http://localhost:${site.port}`,
      ...settings,
      ...(secret && { secret }),
      ...drivers.options,
      inbox: inbox({ apiKeys: true }),
      ...agents,
    });
    try {
      await backend.ready();
      const { pathname } = new URL(backend.baseUrl);
      const answer = formBackend(backend);
      const top = [pathname, `${pathname.replace(/\/$/, "")}/`];
      site.answer((req, res) => {
        if (agents.mcp && answeredMetadata(backend, req, res)) return;
        // The bare address leads to a page, for people who open it.
        if (!top.includes(req.url ?? "")) return answer(req, res);
        res.writeHead(302, { location: `${backend.baseUrl}/inbox` }).end();
      });
      // Logs of containers are kept and read by many: in production, credentials go to a terminal or to a program that asked.
      const seen = json || io.tty.out || env["NODE_ENV"] !== "production";
      const key = seen ? await firstKey(backend) : null;
      const link = seen ? await ownerLink(backend) : null;
      if (json) await show({ url: backend.baseUrl, port: site.port, inbox: link, key });
      else {
        const lines = [
          `Form backend  ${backend.baseUrl}`,
          `Inbox         ${link ?? `${backend.baseUrl}/inbox`}`,
          `MCP           ${agentLine(agents, backend.baseUrl)}`,
          ...(key === null ? [] : [`API key       ${key}`]),
          `Data          ${drivers.place}`,
        ];
        await io.out(`${lines.join("\n")}\n`);
      }
      if (key !== null) say("The key is shown only now. The link works once; later, sign in with the key.");
      if (!seen) say("Sign in to the inbox with a key: form-backend keys create --name <name> --scopes all");
      say("Stop with Ctrl-C.");
      await stopped(io.signal);
      say("Stopping…");
    } finally {
      site.refuse();
      await backend.close();
    }
  } finally {
    // Also where an option is wrong: nobody would answer, and the process would not end.
    site.refuse();
    site.cut();
    await drivers.close();
  }
}

/** A key with every scope where there is none yet; null otherwise. */
async function firstKey(backend: FormBackend): Promise<string | null> {
  if ((await backend.keys.list()).length > 0) return null;
  return (await backend.keys.create({ name: "first key", scopes: "all" })).key;
}
