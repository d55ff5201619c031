import type { Core } from "../../core/core.ts";
import type { Mail, MailAddress } from "../../drivers/mailer/types.ts";
import { html } from "../../lib/html.ts";
import type { Words } from "../../texts/locales/_words.ts";
import { lines, SANS } from "./layout.ts";
import { letterText } from "./plain.ts";
import { formal } from "./themes/formal.ts";

const LOGO_HEIGHT = 48;

/** The logo of a mail without a form. */
export const ownMailLogo = ({ logo_url }: { readonly logo_url: string }) =>
  logo_url ? { url: logo_url, height: LOGO_HEIGHT } : null;

/** A mail in our own words, which may ask for a click on one link. */
interface OwnMail {
  readonly words: Words;
  readonly jobId: string;
  readonly to: string;
  /** Default: the service. */
  readonly from?: MailAddress;
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly link?: { readonly name: string; readonly url: string };
  readonly footer: string[];
  readonly rtl?: boolean;
}

/** The mail in our own look. */
export function ownMail(core: Core, { words, jobId, to, from, subject, paragraphs, link, footer, rtl }: OwnMail): Mail {
  const { look } = core.options;
  return {
    from: from ?? { name: core.options.from.name || core.options.brand.name, address: core.options.from.address },
    to: { name: "", address: to },
    subject,
    messageId: `${jobId}@${new URL(core.options.baseUrl).hostname}`,
    date: core.clock.now(),
    text: letterText(link ? [...paragraphs, link.url] : [subject, ...paragraphs], footer),
    html: formal.page({
      words,
      title: subject,
      logo: ownMailLogo(look),
      primary: look.primary,
      kicker: "",
      heading: subject,
      rtl: rtl ?? words.dir === "rtl",
      notice: "",
      rows: [],
      files: [],
      filesNote: "",
      message: html`${lines(paragraphs.join("\n\n"))}${
        link &&
        html`<br>\n<br>\n<a href="${link.url}" style="display:inline-block;padding:12px 24px;border-radius:6px;background:${look.primary};font:600 16px/1.25 ${SANS};color:#ffffff;text-decoration:none">${link.name}</a>`
      }`,
      footer,
    }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  };
}
