import { z } from "zod";
import { parseCidr } from "../lib/cidr.ts";
import { isEmail } from "../lib/email.ts";
import { line } from "./form-leaves.ts";

const MAX_ENTRIES = 500;

const isSender = (text: string): boolean => (text.startsWith("@") ? isEmail(`a${text}`) : isEmail(text));

const Senders = z
  .array(z.string().refine(isSender, "must be an address such as ann@example.com, or a domain such as @example.com"))
  .max(MAX_ENTRIES)
  .describe("Senders: `ann@example.com`, or `@example.com` for the whole domain.");

const Ips = z
  .array(
    z.string().refine((text) => parseCidr(text) !== null, "must be an IP address, or a range such as 203.0.113.0/24"),
  )
  .max(MAX_ENTRIES)
  .describe("IP addresses of visitors: `203.0.113.9`, or a range such as `203.0.113.0/24`.");

/** Rules of a form for telling spam, beside the checks that every form has. */
export const SpamSettings = z
  .object({
    words: z
      .array(
        line(100).refine(
          (text) => /[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(text),
          "must contain a letter, a digit or an emoji",
        ),
      )
      .max(MAX_ENTRIES)
      .describe("Words and phrases that make a post spam; case is ignored, and only whole words match."),
    senders: Senders,
    ips: Ips,
    countries: z
      .array(z.string().regex(/^[A-Z]{2}$/, "must be the two capital letters of ISO 3166, such as DE"))
      .max(MAX_ENTRIES)
      .describe(
        "Countries whose posts are spam, as ISO 3166 codes; needs `country` from a proxy or the host's lookup.",
      ),
    allow: z
      .object({ senders: Senders, ips: Ips })
      .describe("Posts that skip the content checks and the lists, but not captcha, token and honeypot."),
    threshold: z
      .enum(["low", "normal", "high"])
      .describe(
        "`high` catches more: one typical phrase is enough, or two links in a short text. `low` catches less: it takes two signs, or one that leaves no doubt.",
      ),
    learn: z
      .boolean()
      .describe(
        "Learns from what people of the team mark as spam and not spam; used once there are 50 of each and held-out ones show that it helps.",
      ),
  })
  .describe("Lists and the threshold of the spam checks.");
export type SpamSettings = z.infer<typeof SpamSettings>;

/** Catches and allows nothing by itself. */
export const defaultSpamSettings: SpamSettings = {
  words: [],
  senders: [],
  ips: [],
  countries: [],
  allow: { senders: [], ips: [] },
  threshold: "normal",
  learn: false,
};
