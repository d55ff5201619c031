import { z } from "zod";
import { block, flag, type Leaves, list, moment, nullable, oneOf, optional, text } from "../lib/leaves.ts";
import { Email, Timestamp } from "../lib/wire.ts";
import { type StoredFile, storedFileLeaf } from "./submission-file.ts";

const directions = ["out", "in"] as const;
const messageStatuses = ["queued", "sent", "failed", "skipped", "received"] as const;

/** The person or key that wrote an answer. */
const Author = z.object({
  /** The id of the key, or the host's id of the person. */
  id: z.string(),
  /** The name that the recipient sees. */
  name: z.string(),
});

/** One mail of a conversation under a submission. */
export const Message = z
  .object({
    /** The message's id; of an answer also the id of its email job. */
    id: z.string(),
    /** The submission. */
    submission_id: z.string(),
    direction: z
      .enum(directions)
      .describe("`out`: an answer to the sender of the submission; `in`: a mail that came back."),
    author: Author.nullable().describe("Who wrote an answer; null for a mail that came in."),
    /** The sender's address. */
    from: z.string(),
    /** The addresses in To. */
    to: z.array(z.string()),
    /** The addresses in Cc. */
    cc: z.array(z.string()),
    /** The subject. */
    subject: z.string(),
    text: z.string().describe("Plain text; of a mail that came in without the part that it quotes."),
    /** The files that it has. */
    attachments: z.array(
      z.object({
        /** The file's name. */
        name: z.string(),
        url: z.string().describe("Signed; it expires like the link of any uploaded file."),
        /** The type of the content, as found in its bytes. */
        mime_type: z.string(),
        size: z.int().min(0).describe("In bytes."),
      }),
    ),
    status: z.enum(messageStatuses).describe("`received` for a mail that came in; the others are those of an email."),
    code: z.string().describe("`SUCCESS`, `RECEIVED`, or why the mail did not go out."),
    /** The time when it was written, or received. */
    created_at: Timestamp,
  })
  .meta({ id: "Message" });
export type Message = z.infer<typeof Message>;

export const MessageList = z
  .object({
    /** The messages, oldest first. */
    data: z.array(Message),
  })
  .meta({ id: "MessageList" });
export type MessageList = z.infer<typeof MessageList>;

/** A message as a conversation shows it to a person. */
export interface ThreadMessage extends Message {
  /** The whole text of a mail that came in, where `text` leaves a part of it out. */
  readonly whole?: string;
}

/** Files that go with one answer. */
export const MAX_MESSAGE_FILES = 10;

const Addresses = z.array(Email).max(10);

export const MessageCreate = z
  .strictObject({
    text: z.string().trim().min(1, "must have a text").max(50_000).describe("The answer, plain text."),
    to: Addresses.min(1)
      .optional()
      .describe(
        "Default: the reply address of the submission. Others must be in the submission, among the form's recipients or in the conversation.",
      ),
    cc: Addresses.optional().describe("Copies; the same addresses are allowed as in `to`."),
    subject: z
      .string()
      .trim()
      .max(500)
      .regex(/^[^\p{Cc}]*$/u, "must be one line")
      .optional()
      .describe("Default: `Re:` and the subject of the conversation."),
    /** The files to send along. */
    attachments: z
      .array(z.string().min(1).max(64))
      .max(MAX_MESSAGE_FILES)
      .optional()
      .describe("Ids of the form's images, and of files of this submission and its messages."),
  })
  .meta({ id: "MessageCreate" });
export type MessageCreate = z.infer<typeof MessageCreate>;

/** The same in process. */
export const HostMessageCreate = MessageCreate.extend({
  idempotency_key: z.string().min(1).max(255).optional().describe("The same key sends the answer once."),
});
export type HostMessageCreate = z.infer<typeof HostMessageCreate>;

/** A file that a person uploads for an answer. */
export interface AnswerFile {
  readonly name: string;
  /** The sender's media type for it; the bytes decide. */
  readonly declared: string;
  readonly content: Uint8Array;
}

/** An answer that is written in the inbox. */
export const InboxMessageCreate = HostMessageCreate.extend({
  files: z.array(z.custom<AnswerFile>()).max(MAX_MESSAGE_FILES).default([]),
});

/** A message as it is stored. An answer's state is that of the email job with the same id. */
export interface MessageRecord {
  submission_id: string;
  form_id: string;
  team_id: string;
  /** A hash of its Message-ID; null where it had none. */
  message_key: string | null;
  direction: Message["direction"];
  author: Message["author"];
  from: string;
  to: string[];
  cc: string[];
  subject: string;
  text: string;
  /** The whole text of a mail that came in, where `text` leaves a part of it out. */
  whole?: string;
  attachments: StoredFile[];
  /** The ids of those attachments that were uploaded for this answer alone. */
  uploads?: string[];
  /** Of a mail that came in `received`; of an answer the last known state. */
  status: Message["status"];
  code: string;
  /** Without angle brackets; null where it had none. */
  message_id: string | null;
  /** The Message-IDs that it answers, oldest first. */
  references: string[];
  /** A program wrote it: a vacation notice, a list, a loop. */
  automatic?: boolean;
  /** What the mail service found of DMARC: `pass`, `fail`, `none`. */
  dmarc?: string;
  created_at: string;
}

const messageLeaves: Leaves<MessageRecord> = {
  submission_id: text(),
  form_id: text(),
  team_id: text(),
  message_key: nullable(text()),
  direction: oneOf(directions),
  author: nullable(block<NonNullable<Message["author"]>>({ id: text(""), name: text("") })),
  from: text(""),
  to: list(text()),
  cc: list(text()),
  subject: text(""),
  text: text(""),
  whole: optional(text()),
  attachments: list(storedFileLeaf),
  uploads: optional(list(text())),
  status: oneOf(messageStatuses, "sent"),
  code: text(""),
  message_id: nullable(text()),
  references: list(text()),
  automatic: optional(flag()),
  dmarc: optional(text()),
  created_at: moment(),
};

/** Reads a message from the store. */
export const messageLeaf = block(messageLeaves);
