import { randomBytes, randomUUID } from "node:crypto";
import type { Mail } from "../../../drivers/mailer/types.ts";
import { sameSecret } from "../../../lib/secret.ts";
import type { Received } from "../../../model/inbound.ts";
import type { InboundProvider } from "../../api/kernel.ts";

/** The domain of the addresses that visitors write back to. Nothing leaves this machine, so it is nobody's. */
const DOMAIN = "in.example.com";
const MOST_TEXT = 50_000;

/** The visitor of `dev`, who writes back to mails in the mailbox. */
export interface Visitor {
  readonly inbound: { readonly domain: string; readonly providers: readonly InboundProvider[] };
  /** True for a mail that asks to be written to. */
  canAnswer(mail: Mail): boolean;
  /** Writes back. Returns the status: 200 once it stands in the conversation. */
  answer(mail: Mail, text: string, handle: (request: Request) => Promise<Response>): Promise<number>;
}

/** A mail of the visitor's. */
interface Written {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly answers: readonly string[];
}

/** A mail service on this machine, which only this process may call. */
export function visitorAt(baseUrl: string): Visitor {
  const secret = randomBytes(24).toString("base64url");
  const authorization = `Bearer ${secret}`;
  const provider: InboundProvider = {
    name: "dev",
    stops: 413,
    async receive({ headers, body }): Promise<Received> {
      if (!sameSecret(headers.get("authorization") ?? "", authorization)) return { is: "forged", status: 401 };
      // Written below, in this process.
      const { from, to, subject, text, answers } = JSON.parse(Buffer.from(body).toString("utf8")) as Written;
      const messageId = `${randomUUID()}@visitor.example`;
      const mail = { messageId, from, recipients: [to], to: [to], cc: [], subject, text, html: "", answers };
      return { is: "mail", mail: { ...mail, headers: [], files: [] }, event: null };
    },
  };
  const canAnswer = ({ replyTo }: Mail): boolean => replyTo?.address.endsWith(`@${DOMAIN}`) === true;
  return {
    inbound: { domain: DOMAIN, providers: [provider] },
    canAnswer,
    async answer(mail, text, handle) {
      if (!canAnswer(mail) || text.trim() === "" || text.length > MOST_TEXT) return 400;
      const body = JSON.stringify({
        from: mail.to.address,
        to: mail.replyTo?.address ?? "",
        subject: /^re:/i.test(mail.subject) ? mail.subject : `Re: ${mail.subject}`,
        text,
        answers: [mail.messageId],
      } satisfies Written);
      const headers = { authorization, "content-type": "application/json" };
      return (await handle(new Request(`${baseUrl}/inbound/dev`, { method: "POST", headers, body }))).status;
    },
  };
}
