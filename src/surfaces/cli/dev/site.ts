import type { IncomingMessage, ServerResponse } from "node:http";
import type { Mail } from "../../../drivers/mailer/types.ts";
import type { Folder } from "./folder.ts";
import { pages, style } from "./pages.ts";
import type { Received } from "./receiver.ts";

const MAX_BYTES = 4 * 1024 * 1024;
const LISTED = 100;
const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";
/** An email is a stranger's text: no scripts, nothing from the network, no access to this site. */
const MAIL_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** Parts of the pages. */
export interface SiteParts {
  readonly port: number;
  readonly endpoint: string;
  readonly inboxUrl: string;
  readonly mailbox: Folder<Mail>;
  readonly webhooks: Folder<Received>;
  readonly receive: (body: Buffer, headers: IncomingMessage["headers"]) => Promise<number>;
  /** True for a mail whose recipient may write back. */
  readonly canAnswer: (mail: Mail) => boolean;
  /** Writes back as the recipient of a mail; returns the status. */
  readonly writeBack: (mail: Mail, text: string) => Promise<number>;
}

/** Serves the pages of `dev`. They have no login, so only requests to names of this machine get them. */
export function devSite(parts: SiteParts) {
  const { port, endpoint, inboxUrl, mailbox, webhooks, receive, canAnswer, writeBack } = parts;
  const page = pages(inboxUrl);
  const hosts = ["localhost", "127.0.0.1", "[::1]"].map((name) => `${name}:${port}`);

  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const send = (body: string, type = "text/html; charset=utf-8", policy = POLICY): void => {
      res.writeHead(200, {
        "content-type": type,
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
      });
      res.end(body);
    };
    const fail = (status: number): void =>
      void res.writeHead(status, { "content-type": "text/plain" }).end(`${status}\n`);
    // A name of somebody else that points here would let a website read the mailbox.
    if (!hosts.includes(req.headers.host ?? "")) return fail(403);
    const [path = "/"] = (req.url ?? "/").split("?", 1);
    if (req.method === "POST" && path === "/webhooks") {
      const body = await bodyOf(req);
      return body ? void res.writeHead(await receive(body, req.headers)).end() : fail(413);
    }
    const [, answered] = /^\/mailbox\/([^/]+)\/answer$/.exec(path) ?? [];
    if (req.method === "POST" && answered !== undefined) {
      // Another page of the browser must not write in a visitor's name.
      if (!hosts.some((host) => req.headers.origin === `http://${host}`)) return fail(403);
      const [body, mail] = [await bodyOf(req), await mailbox.get(answered)];
      if (!body) return fail(413);
      const text = new URLSearchParams(body.toString("utf8")).get("text") ?? "";
      const status = mail ? await writeBack(mail, text) : 404;
      if (status !== 503 && status !== 200) return fail(status);
      return send(page.answered(status === 200));
    }
    if (req.method !== "GET" && req.method !== "HEAD") return fail(405);
    if (path === "/") return send(page.form(endpoint));
    if (path === "/style.css") return send(style, "text/css; charset=utf-8");
    if (path === "/webhooks") return send(page.webhooks(await webhooks.newest(LISTED)));
    if (path === "/mailbox") return send(page.mailbox(await mailbox.newest(LISTED)));
    const [, id = "", part] = /^\/mailbox\/([^/]+)(\/html)?$/.exec(path) ?? [];
    const mail = await mailbox.get(id);
    if (!mail) return fail(404);
    return part ? send(mail.html, undefined, MAIL_POLICY) : send(page.mail(id, mail, canAnswer(mail)));
  };
  return (req: IncomingMessage, res: ServerResponse): void => {
    answer(req, res).catch(() => res.destroy());
  };
}

/** The bytes of a request; null if there are too many. */
async function bodyOf(req: IncomingMessage): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of req as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
