import {
  mailgunInbound,
  postmarkInbound,
  rawInbound,
  resendInbound,
  sesInbound,
} from "../../src/surfaces/inbound/index.ts";
import type { TestBackendOptions } from "../../src/surfaces/testing/backend.ts";
import { harness } from "./backend.ts";

export const DOMAIN = "in.acme.test";
export const SECRET = "the secret of the pipe";
export const SIGNING_KEY = "mailgun signing key";
export const RESEND_SECRET = `whsec_${Buffer.from("resend secret").toString("base64")}`;
export const TOPIC = "arn:aws:sns:eu-west-1:123456789012:mail";

/** A form with a submission of Ann's that was answered once, and all providers. */
export async function world(options: TestBackendOptions = {}, ses: object = {}, resend: object = {}) {
  const b = harness({
    rateLimit: false,
    from: "Acme <forms@acme.test>",
    inbound: {
      domain: DOMAIN,
      providers: [
        rawInbound({ secret: SECRET }),
        postmarkInbound({ user: "postmark", password: "pass" }),
        mailgunInbound({ signingKey: SIGNING_KEY }),
        resendInbound({ secret: RESEND_SECRET, apiKey: "re_1", ...resend }),
        sesInbound({ topicArn: TOPIC, ...ses }),
      ],
    },
    ...options,
  });
  const form = await b.forms.create({ name: "Contact", self_email_notification: { recipients: ["owner@acme.test"] } });
  const submission = await b.submit(form.id, { fields: { email: "ann@example.com", text: "When do you open?" } });
  await b.tick();
  await b.submissions.update(form.id, submission.id, { read: true });
  const answer = await b.messages.send(form.id, submission.id, { text: "At nine." });
  await b.tick();
  // A second passes, or the mail that comes next may stand before the answer of the same millisecond.
  await b.clock.advance(1_000);
  const mail = b.mails.at(-1);
  const reply = mail?.replyTo?.address ?? "";
  const request = (name: string, body: string | Uint8Array | FormData, headers: Record<string, string> = {}) =>
    b.handle(new Request(`${b.baseUrl}/inbound/${name}`, { method: "POST", headers, body: body as string }));
  return {
    b,
    form,
    submission,
    answer,
    reply,
    request,
    thread: async () => (await b.messages.list(form.id, submission.id)).data,
    raw: async (text: string, headers: Record<string, string> = {}) => {
      const response = await request("raw", text.replaceAll("\n", "\r\n"), {
        authorization: `Bearer ${SECRET}`,
        "content-type": "message/rfc822",
        ...headers,
      });
      return { status: response.status, result: ((await response.json()) as { result: string }).result };
    },
  };
}

export const message = (
  to: string,
  { id = "one@example.com", text = "Thank you!", more = "", from = "Ann <ann@example.com>" } = {},
) =>
  `From: ${from}
To: ${to}
Subject: Re: Contact
Message-ID: <${id}>
${more}Content-Type: text/plain; charset=utf-8

${text}
`;
