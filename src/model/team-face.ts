import { z } from "zod";
import { canParseUrl } from "../lib/can-parse-url.ts";
import { parseMailbox } from "../lib/email.ts";
import { block, type Leaf, nullable, text } from "../lib/leaves.ts";
import { Colour } from "./form-leaves.ts";

/** A host that stands for this machine in every browser, so that plain `http` with a port is safe there. */
const LOCAL = /(?:^|\.)localhost$/;
/** Two labels or more, none of them an address of numbers. */
const DNS_NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;
const WRITTEN_HOST = /^[a-z]+:\/\/([^/?#]*)/i;

/** The fault of a team's base URL; null for none. */
function faultOf(value: string): string | null {
  if (!canParseUrl(value)) return "must be a URL such as https://forms.example.com";
  const url = new URL(value);
  const isLocal = LOCAL.test(url.hostname);
  if (url.protocol !== "https:" && !(isLocal && url.protocol === "http:")) return "must begin with https://";
  if (url.username || url.password || url.search || url.hash) return "must be a host name and at most a path";
  // A browser shows letters of other scripts as they look, and so would whoever reads the team.
  const written = WRITTEN_HOST.exec(value)?.[1] ?? "";
  if (written.toLowerCase() !== url.host) return `must name its host in ASCII, without a port: ${url.hostname}`;
  if (isLocal) return null;
  if (url.port) return "must have no port";
  return DNS_NAME.test(url.hostname) ? null : "must have a host name such as forms.example.com";
}

/** The address of a team's forms, without a slash at its end. */
export const BaseUrl = z
  .string()
  .max(500)
  .superRefine((value, context) => {
    const message = faultOf(value);
    if (message) context.addIssue({ code: "custom", message });
  })
  .transform((value) => (canParseUrl(value) ? new URL(value).href.replace(/\/+$/, "") : value));

const HttpsUrl = z
  .string()
  .max(2048)
  .refine((value) => canParseUrl(value) && new URL(value).protocol === "https:", "must be an https URL");

/** Names and pictures of a team; null for those of the backend. */
export const Brand = z
  .strictObject({
    /** The name in mails, in the inbox and in the `User-Agent` of webhooks. */
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .refine((name) => !/\p{Cc}/u.test(name), "must be one line")
      .nullable(),
    /** The logo of pages and mails whose form has none. */
    logo_url: HttpsUrl.nullable(),
    /** The same on a dark background. */
    logo_dark_url: HttpsUrl.nullable(),
    /** The colour of buttons and links, where the form has the usual one. */
    primary: Colour.nullable(),
    /** The sender of its mails, as an address or `Name <address>`, in a verified domain of the team. */
    from: z
      .string()
      .max(400)
      .refine((value) => parseMailbox(value) !== null, 'must be an address, or "Name <address>"')
      .nullable(),
    /** A page for receivers of webhooks, in their `User-Agent`. */
    support_url: HttpsUrl.nullable(),
  })
  .partial();

interface BrandRecord {
  name: string | null;
  logo_url: string | null;
  logo_dark_url: string | null;
  primary: string | null;
  from: string | null;
  support_url: string | null;
}

/** A team that looks like the backend. */
export const NO_BRAND: BrandRecord = {
  name: null,
  logo_url: null,
  logo_dark_url: null,
  primary: null,
  from: null,
  support_url: null,
};

/** Reads a brand from the store. */
export const brandLeaf: Leaf<BrandRecord> = block<BrandRecord>({
  name: nullable(text()),
  logo_url: nullable(text()),
  logo_dark_url: nullable(text()),
  primary: nullable(text()),
  from: nullable(text()),
  support_url: nullable(text()),
});
