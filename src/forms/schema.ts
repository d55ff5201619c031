import { z } from "zod";
import { Email } from "../lib/email.ts";
import { templateFault } from "../lib/template.ts";
import { Cursor, Limit, Timestamp } from "../lib/wire.ts";
import { Webhook, type WebhookRecord } from "../webhooks/schema.ts";
import { Rules, RulesInput } from "./rules.ts";

export const FormId = z.string().min(1).max(64);

export const captchaProviders = ["none", "recaptcha", "hcaptcha", "turnstile", "friendly_captcha", "altcha"] as const;
export type CaptchaProvider = (typeof captchaProviders)[number];

/** Addresses that one form may notify. */
export const MAX_RECIPIENTS = 50;

const text = (max: number) => z.string().max(max);
const line = (max: number) => text(max).refine((value) => !/[\r\n]/.test(value), "must not contain line breaks");
const Url = text(2048).refine(
  (value) => value === "" || (/^https?:\/\//i.test(value) && URL.canParse(value)),
  "must be an absolute http: or https: URL, or empty",
);
const Html = z
  .string()
  .refine((value) => Buffer.byteLength(value) <= 200 * 1024, "must be at most 200 KB")
  .describe("Takes the theme's place while it is not empty; at most 200 KB, tags allowed.");
/** Text with tags, which must parse. Only what is sent is checked: an answer must not parse every template of a list again. */
const template = <T extends z.ZodType<string>>(schema: T) =>
  schema.superRefine(
    (value, context) => {
      const fault = templateFault(value);
      if (fault) context.addIssue({ code: "custom", message: fault });
    },
    // What is too long is not parsed first.
    { when: ({ issues }) => issues.length === 0 },
  );
const Colour = z.string().regex(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/, "must be a colour such as #2563eb or #fff");
const Button = { text: line(100), url: Url };
const MailTheme = z.enum(["fancy", "formal"]);
const graphemes = new Intl.Segmenter();
/** One as a reader sees it: families, flags and keycaps are several code points. */
const isEmoji = (value: string): boolean =>
  [...graphemes.segment(value)].length === 1 && /\p{Extended_Pictographic}|^\p{RI}{2}$|\u20E3$/u.test(value);
const LogoHeight = z.number().min(1).max(1000).describe("In pixels.");

/** `<n>_days` with n from 1 to 36500, or `forever`. */
export const KeepFor = z
  .string()
  .regex(/^([1-9]\d{0,3}|[12]\d{4}|3[0-5]\d{3}|36[0-4]\d{2}|36500)_days$|^forever$/, "must be <n>_days or forever")
  .describe("How long submissions are kept: `<n>_days` or `forever`.");

// The leaves of each block, once: `request` over the API and in process, `host` in process only, `derived` in answers only.
const leaves = {
  form: {
    request: {
      name: line(128).min(1),
      active: z.boolean().describe("Inactive forms reject submissions."),
      folder_id: text(64).nullable().describe("The folder that the form is filed in; null for none."),
    },
    host: { avatar: text(32).min(1).describe("One emoji.") },
  },
  storage: {
    request: { store_submissions: z.boolean().describe("Without it, content is removed once email and webhooks ran.") },
    host: { keep_for: KeepFor },
  },
  spam: {
    request: { protection: z.boolean().describe("Content checks; the honeypot stays without them.") },
    host: { require_token: z.boolean() },
  },
  captcha: {
    request: { secret_key: text(500).describe("Says by its shape which provider it is of; empty removes it.") },
    host: { provider: z.enum(captchaProviders) },
    derived: { provider: z.enum(captchaProviders), secret_key_set: z.boolean() },
  },
  notification: {
    request: {
      enabled: z.boolean(),
      recipients: z.array(Email).max(MAX_RECIPIENTS),
      include_spam: z.boolean().describe("Sent for spam too."),
      logo_url: Url,
      logo_height: LogoHeight,
    },
  },
  sender: {
    request: {
      server_id: text(64).describe("An email server of the team; empty for the service's own."),
      name: line(200),
      email: z.union([z.literal(""), Email]),
    },
  },
  reply: {
    request: {
      enabled: z.boolean(),
      from_name: line(200),
      logo_url: Url,
      logo_height: z.number().min(1).max(1000),
    },
    /** The address that replies come from; no API answers it, because v1 knows only the name. */
    host: { from_email: z.union([z.literal(""), Email]) },
  },
  page: {
    theme: z.enum(["fancy", "formal", "sweet"]),
    mode: z.enum(["light", "dark", "system"]),
    headline: text(300),
    message: text(10_000),
    logo_url: Url,
    logo_dark_url: Url,
    logo_size: z.enum(["small", "medium", "large"]),
    primary_color: Colour,
    secondary_color: Colour,
  },
  redirect: {
    success_url: Url.describe("Visitors are sent there instead of seeing the page, while it is not empty."),
    fail_url: Url.describe("Where refused visitors are sent, with `?error=CODE`."),
    append_submission_to_url: z.boolean().describe("Adds each field to the success URL as a query parameter."),
  },
  message: text(10_000),
  subject: line(300).describe("Tags allowed, such as `{{name}}`."),
} as const;

/** The leaves with tags, as a request sends them. */
const tagged = { subject: template(leaves.subject), message: template(leaves.message), html: template(Html) };

const patch = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape).partial();
const Origins = z
  .array(
    z
      .string()
      .max(300)
      .refine(
        (value) => URL.canParse(value) && new URL(value).origin === value,
        "must be an origin such as https://example.com",
      ),
  )
  .max(100);

const AfterSubmitInput = patch({
  page: patch({ ...leaves.page, return_button: patch(Button), download_button: patch(Button) }),
  redirect: patch(leaves.redirect),
});
const ValidationInput = patch({ enabled: z.boolean(), rules: RulesInput });

/** The body of an update over the API: any subset of what may be sent. */
export const FormPatch = z
  .strictObject({
    ...leaves.form.request,
    storage: patch(leaves.storage.request),
    spam: patch({ ...leaves.spam.request, captcha: patch(leaves.captcha.request) }),
    self_email_notification: patch({
      ...leaves.notification.request,
      subject: tagged.subject,
      template: patch({ html: tagged.html }),
      sender: patch(leaves.sender.request),
    }),
    auto_response: patch({
      ...leaves.reply.request,
      subject: tagged.subject,
      template: patch({ message: tagged.message, html: tagged.html }),
    }),
    after_submit: AfterSubmitInput,
    validation: ValidationInput,
  })
  .partial()
  .meta({ id: "FormPatch" });

/** The body of a create over the API. */
export const FormCreate = FormPatch.extend({
  name: leaves.form.request.name,
  team_id: z.string().max(64).optional().describe("Required where the credential covers several teams."),
}).meta({ id: "FormCreate" });

/** What the in-process update takes: the API's fields and those that only the host may set. */
export const HostFormPatch = z
  .strictObject({
    ...leaves.form.request,
    avatar: leaves.form.host.avatar.refine(isEmoji, "must be one emoji"),
    allowed_origins: Origins,
    storage: patch({ ...leaves.storage.request, ...leaves.storage.host }),
    spam: patch({
      ...leaves.spam.request,
      ...leaves.spam.host,
      captcha: patch({ ...leaves.captcha.request, ...leaves.captcha.host }),
    }),
    self_email_notification: patch({
      ...leaves.notification.request,
      subject: tagged.subject,
      template: patch({ theme: MailTheme, html: tagged.html }),
      sender: patch(leaves.sender.request),
    }),
    auto_response: patch({
      ...leaves.reply.request,
      subject: tagged.subject,
      ...leaves.reply.host,
      template: patch({ theme: MailTheme, message: tagged.message, html: tagged.html }),
    }),
    after_submit: AfterSubmitInput,
    validation: ValidationInput,
  })
  .partial();
export type HostFormPatch = z.input<typeof HostFormPatch>;

/** What the in-process create takes. */
export const HostFormCreate = HostFormPatch.extend({
  name: leaves.form.request.name,
  team_id: z.string().max(64).optional(),
});
export type HostFormCreate = z.input<typeof HostFormCreate>;

const TemplateType = z.enum(["theme", "custom"]).describe("`custom` while `html` is not empty.");

/** A form as every API answers it. */
export const Form = z
  .object({
    id: FormId,
    team_id: z.string(),
    ...leaves.form.request,
    ...leaves.form.host,
    endpoint: z.string().describe("Where the HTML form posts."),
    created_at: Timestamp,
    last_submission_at: Timestamp.nullable().describe("Null before the first one."),
    submissions: z.object({ this_month: z.int(), all_time: z.int() }),
    storage: z.object({ ...leaves.storage.request, ...leaves.storage.host }),
    spam: z.object({ ...leaves.spam.request, captcha: z.object(leaves.captcha.derived) }),
    self_email_notification: z.object({
      ...leaves.notification.request,
      subject: leaves.subject,
      template: z.object({ type: TemplateType, theme: MailTheme, html: Html }),
      sender: z.object({
        type: z.enum(["default", "email_server"]).describe("`email_server` while `server_id` is set."),
        ...leaves.sender.request,
      }),
    }),
    auto_response: z.object({
      ...leaves.reply.request,
      subject: leaves.subject,
      template: z.object({ type: TemplateType, theme: MailTheme, message: leaves.message, html: Html }),
    }),
    after_submit: z.object({
      type: z.enum(["page", "redirect"]).describe("`redirect` while `redirect.success_url` is set."),
      page: z.object({ ...leaves.page, return_button: z.object(Button), download_button: z.object(Button) }),
      redirect: z.object(leaves.redirect),
    }),
    webhooks: z.array(Webhook).describe("Changed at their own addresses."),
    validation: z.object({ enabled: z.boolean(), rules: Rules }),
  })
  .meta({ id: "Form" });
export type Form = z.infer<typeof Form>;

/** Which forms a list shows. */
export const FormListQuery = z.strictObject({
  limit: Limit,
  cursor: Cursor,
  team_id: z.string().max(64).optional().describe("Only this team, which the credential must cover."),
});
export type FormListQuery = z.output<typeof FormListQuery>;

/** One page of forms. */
export interface FormList {
  data: Form[];
  has_more: boolean;
  next_cursor: string | null;
}

export const FormDeleted = z.object({ id: FormId, deleted: z.literal(true) }).meta({ id: "FormDeleted" });
export type FormDeleted = z.infer<typeof FormDeleted>;

/** A form as it is stored: what is derived is left out, and the captcha secret is sealed. */
export type FormRecord = Omit<
  Form,
  | "id"
  | "endpoint"
  | "last_submission_at"
  | "submissions"
  | "webhooks"
  | "spam"
  | "self_email_notification"
  | "auto_response"
  | "after_submit"
> & {
  allowed_origins: string[];
  spam: { protection: boolean; require_token: boolean; captcha: { provider: CaptchaProvider; secret: string } };
  self_email_notification: Untyped<Form["self_email_notification"]>;
  auto_response: Untyped<Form["auto_response"]> & { from_email: string };
  after_submit: Omit<Form["after_submit"], "type">;
  webhooks: WebhookRecord[];
};

/** A block without its derived `type` members. */
type Untyped<T> = { [K in keyof T]: T[K] extends { type: string } ? Omit<T[K], "type"> : T[K] };
