import { z } from "zod";
import { canParseUrl } from "../lib/can-parse-url.ts";
import { templateFault } from "../lib/template.ts";
import { Email, Origin } from "../lib/wire.ts";

export const captchaProviders = ["none", "recaptcha", "hcaptcha", "turnstile", "friendly_captcha", "altcha"] as const;
export type CaptchaProvider = (typeof captchaProviders)[number];

/** Addresses that one form may notify. */
export const MAX_RECIPIENTS = 50;

export const text = (max: number) => z.string().max(max);
export const line = (max: number) => text(max).refine((value) => !/[\r\n]/.test(value), "must not contain line breaks");
const Url = text(2048).refine(
  (value) => value === "" || (/^https?:\/\//i.test(value) && canParseUrl(value)),
  "must be an absolute http: or https: URL, or empty",
);
export const Html = z
  .string()
  .refine((value) => Buffer.byteLength(value) <= 200 * 1024, "must be at most 200 KB")
  .describe("Replaces the theme if it is not empty; at most 200 KB, tags allowed.");
/** Text with tags, which must parse. Only input is checked: a list must not parse every template again. */
const template = <T extends z.ZodType<string>>(schema: T) =>
  schema.superRefine(
    (value, context) => {
      const fault = templateFault(value);
      if (fault) context.addIssue({ code: "custom", message: fault });
    },
    // Text that is too long is not parsed.
    { when: ({ issues }) => issues.length === 0 },
  );
export const Colour = z.string().regex(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, "must be a color such as #2563eb or #fff");
export const Button = {
  /** The words on the button; empty for no button. */
  text: line(100),
  /** The address that the button opens. */
  url: Url,
};
export const MailTheme = z.enum(["fancy", "formal"]).describe("The look of the email.");
const graphemes = new Intl.Segmenter();
/** One as a reader sees it: families, flags and keycaps are several code points. */
export const isEmoji = (value: string): boolean =>
  [...graphemes.segment(value)].length === 1 && /\p{Extended_Pictographic}|^\p{RI}{2}$|\u20E3$/u.test(value);
const LogoHeight = z.number().min(1).max(1000).describe("In pixels.");

/** `<n>_days` with n from 1 to 36500, or `forever`. */
export const KeepFor = z
  .string()
  .regex(/^([1-9]\d{0,3}|[12]\d{4}|3[0-5]\d{3}|36[0-4]\d{2}|36500)_days$|^forever$/, "must be <n>_days or forever")
  .describe("How long submissions are kept: `<n>_days` or `forever`.") as z.ZodType<KeepFor, KeepFor>;
export type KeepFor = `${number}_days` | "forever";

// The leaves of each block: `request` over the API and in process, `host` only in process, `derived` only in responses.
export const leaves = {
  form: {
    request: {
      /** The form's name, for people. */
      name: line(128).min(1),
      active: z.boolean().describe("Inactive forms reject submissions."),
      folder_id: text(64).nullable().describe("The folder that the form is filed in; null for none."),
    },
    host: { avatar: text(32).min(1).describe("One emoji.") },
  },
  storage: {
    request: {
      store_submissions: z.boolean().describe("If false, content is removed after the email and webhooks have run."),
    },
    host: { keep_for: KeepFor },
  },
  spam: {
    request: { protection: z.boolean().describe("Checks the content for spam. The honeypot is always active.") },
    host: {
      /** True where posts without a render token are spam. */
      require_token: z.boolean(),
    },
  },
  captcha: {
    request: { secret_key: text(500).describe("Its format identifies the provider; an empty text removes it.") },
    host: {
      /** The captcha service. */
      provider: z.enum(captchaProviders),
    },
    derived: {
      /** The captcha service; `none` while there is no secret key. */
      provider: z.enum(captchaProviders),
      /** True if a secret key is stored; it is never returned. */
      secret_key_set: z.boolean(),
    },
  },
  notification: {
    request: {
      /** True to send a mail for each submission. */
      enabled: z.boolean(),
      /** The addresses that get the mail, at most 50. */
      recipients: z.array(Email).max(MAX_RECIPIENTS),
      include_spam: z.boolean().describe("Notifies about spam too."),
      /** A picture above the text; empty for none. */
      logo_url: Url,
      logo_height: LogoHeight,
    },
  },
  sender: {
    request: {
      server_id: text(64).describe("An email server of the team; empty for the service's own."),
      /** The sender's name. */
      name: line(200),
      /** The sender's address; empty for the service's. */
      email: z.union([z.literal(""), Email]),
    },
  },
  reply: {
    request: {
      /** True to reply to each visitor who leaves an address. */
      enabled: z.boolean(),
      /** The sender's name. */
      from_name: line(200),
      /** A picture above the text; empty for none. */
      logo_url: Url,
      /** The height of the picture, in pixels. */
      logo_height: z.number().min(1).max(1000),
    },
    // Returned in the settings, because the form has only the name.
    host: {
      /** The sender address of auto-responses; empty for the service's. */
      from_email: z.union([z.literal(""), Email]),
    },
  },
  page: {
    /** The look of the page. */
    theme: z.enum(["fancy", "formal", "sweet"]),
    /** Light, dark, or as the visitor's system has it. */
    mode: z.enum(["light", "dark", "system"]),
    /** The headline of the page. */
    headline: text(300),
    /** The text of the page. */
    message: text(10_000),
    /** A picture above the headline; empty for none. */
    logo_url: Url,
    /** The picture in dark mode; empty for the same. */
    logo_dark_url: Url,
    /** The size of the picture. */
    logo_size: z.enum(["small", "medium", "large"]),
    /** The color of buttons, such as #2563eb. */
    primary_color: Colour,
    /** The second color of the page. */
    secondary_color: Colour,
  },
  redirect: {
    success_url: Url.describe("If it is not empty, visitors are redirected there instead of seeing the page."),
    fail_url: Url.describe("Target of the redirect after a refused post, with `?error=CODE`."),
    append_submission_to_url: z.boolean().describe("Adds each field to the success URL as a query parameter."),
  },
  /** The text of the reply; tags allowed. */
  message: text(10_000),
  subject: line(300).describe("Tags allowed, such as `{{name}}`."),
} as const;

/** The leaves with tags, as a request sends them. */
export const tagged = { subject: template(leaves.subject), message: template(leaves.message), html: template(Html) };

/** Origins of web pages from which a form accepts posts. */
export const Origins = z.array(Origin.max(300)).max(100);
