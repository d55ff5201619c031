import { block, number, optional, text } from "../lib/leaves.ts";

/** Everything that the host's own webhooks can be told of. */
export const hostEvents = [
  "team.created",
  "team.updated",
  "team.deleted",
  "form.created",
  "form.updated",
  "form.deleted",
  "form.locked",
  "form.quiet",
  "key.created",
  "key.revoked",
  "plan.exceeded",
  "webhook.disabled",
  "email.bounced",
  "abuse.reported",
] as const;
/** An event of the option `hostWebhooks`. */
export type HostEvent = (typeof hostEvents)[number];

/** The content of a delivery to the host, fixed with it. */
export interface HostNote {
  /** The event's `data` as JSON. */
  data: string;
  /** The mail whose recipient is added at delivery: an address that was erased meanwhile is not kept here. */
  mail_id?: string;
  /** The place of the recipient among those of the mail. */
  recipient?: number;
}

export const hostNoteLeaf = block<HostNote>({
  data: text(),
  mail_id: optional(text()),
  recipient: optional(number()),
});
