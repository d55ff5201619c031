import { block, number, optional, text } from "../lib/leaves.ts";

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
