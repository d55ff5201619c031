import { z } from "zod";
import { block, moment, nullable, text, time } from "../lib/leaves.ts";
import { Timestamp } from "../lib/wire.ts";

/** The sender's confirmation of a submission, by the link of an email: its text and its time. */
export const Consent = z
  .object({
    sentence: z.string().describe("The sentence in the email and on its page, in the sender's language."),
    /** The time of the post. */
    posted_at: Timestamp,
    ip: z.string().nullable().describe("The sender's IP address; null if unknown."),
    confirmed_at: Timestamp.nullable().describe("Null until it is confirmed."),
    /** The address that opened the link; null while unknown. */
    confirmed_ip: z.string().nullable(),
  })
  .meta({ id: "Consent" });
export type Consent = z.infer<typeof Consent>;

export const consentLeaf = block<Consent>({
  sentence: text(""),
  posted_at: moment(),
  ip: nullable(text()),
  confirmed_at: nullable(time()),
  confirmed_ip: nullable(text()),
});
