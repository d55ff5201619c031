import type { SenderDomainState } from "../../model/domain-verification.ts";
import type { Message } from "../../model/messages.ts";
import type { Suppression } from "../../model/suppressions.ts";

/** Examples of messages, of suppressed addresses, of learned spam and of sender domains. */
export function conversationExamples({ at, submission_id }: { readonly at: string; readonly submission_id: string }) {
  const message: Message = {
    id: "msg_019b76da6a0012345678901234567890",
    submission_id,
    direction: "out",
    author: { id: "key_5f0c1d2e3f4a5b6c7d8e9f00", name: "Support" },
    from: "team@example.com",
    to: ["ann@example.com"],
    cc: [],
    subject: "Re: Contact",
    text: "Thank you, we open at nine.",
    attachments: [],
    status: "queued",
    code: "PENDING",
    created_at: at,
  };
  const suppression: Suppression = { email: "gone@example.com", reason: "bounce", source: "postmark", created_at: at };
  const record = (name: string, value: string, found: boolean) => ({ type: "TXT" as const, name, value, found });
  const state: SenderDomainState = {
    domain: "example.com",
    verified: false,
    records: [
      record("_sender-proof.example.com", "Zk3vTq9LmX2bYw8RfNc4GdHs6JpKa1Ue", true),
      record("example.com", "v=spf1 include:<your mail provider> ~all", true),
      record("s1._domainkey.example.com", "v=DKIM1; k=rsa; p=<public key of your mail provider>", false),
      record("_dmarc.example.com", "v=DMARC1; p=none", true),
    ],
  };
  return {
    SenderDomainState: state,
    DomainRecord: state.records[0],
    Message: message,
    MessageList: { data: [message] },
    MessageCreate: { text: message.text },
    SpamModel: { spam: 62, ham: 140, active: true, precision: 1, recall: 0.81, since: at },
    SpamModelForgotten: { forgotten: true as const },
    Suppression: suppression,
    SuppressionList: { data: [suppression], has_more: false, next_cursor: null },
    SuppressionCreate: { email: suppression.email },
    SuppressionDeleted: { email: suppression.email, deleted: true },
  };
}
