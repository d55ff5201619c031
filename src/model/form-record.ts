import type { z } from "zod";
import { USUAL_PRIMARY } from "../lib/brand.ts";
import {
  block,
  dictionary,
  flag,
  type Leaf,
  list,
  moment,
  nullable,
  number,
  oneOf,
  optional,
  text,
} from "../lib/leaves.ts";
import { type CaptchaProvider, captchaProviders, type KeepFor, leaves, MailTheme } from "./form-leaves.ts";
import { type FormSettings, type StoredSettings, settingsLeaf } from "./form-settings.ts";
import type { Form, FormLock } from "./forms.ts";
import { type Restriction, restrictionLeaf } from "./restriction.ts";
import { checkTypes, type Rule } from "./rules.ts";
import { type WebhookRecord, webhookLeaf } from "./webhooks.ts";

/** A stored form: without derived members, and with the captcha secret sealed. */
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
  spam: SpamSettings;
  self_email_notification: Untyped<Form["self_email_notification"]>;
  auto_response: Untyped<Form["auto_response"]> & Of<typeof leaves.reply.host>;
  after_submit: Omit<Form["after_submit"], "type">;
  webhooks: WebhookRecord[];
  settings: StoredSettings;
  /** The sealed key by which values that the form takes once are hashed; empty until a field is to be unique. */
  unique_key: string;
  /** Set by the host, which alone takes it away; null for a form that is not locked. */
  locked: FormLock | null;
  /** Of recipients, by their address in lower case; most have none. */
  restrictions: Record<string, Restriction>;
  /** Of the success URL that gets the fields; unset where it gets all that are stored in clear. */
  redirect_restriction?: Restriction;
  /** Teams with a host of their own that the form was moved away from: pages may still post to it there. */
  former_team_ids?: string[];
};

/** Typed by the schema of its leaves, so that none can be added that is not read from the store. */
type Of<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

/** The captcha's secret takes the place of `secret_key_set`. */
type SpamSettings = Of<typeof leaves.spam.request & typeof leaves.spam.host> & {
  captcha: { provider: CaptchaProvider; secret: string };
};

/** A block without its derived `type` members. */
type Untyped<T> = { [K in keyof T]: T[K] extends { type: string } ? Omit<T[K], "type"> : T[K] };

const theme = oneOf(MailTheme.options, "fancy");
const button = (label: string) => block({ text: text(label), url: text("") });

/** Reads a form from the store. Each leaf has the default that applies until somebody sets it. */
export const formLeaf = block<FormRecord>({
  // A form of no team would be a form of every team, or of the wrong one.
  team_id: text(),
  name: text("Untitled"),
  active: flag(true),
  avatar: text("📬"),
  folder_id: nullable(text()),
  created_at: moment(),
  allowed_origins: list(text()),
  storage: block<FormRecord["storage"]>({
    store_submissions: flag(true),
    // Only values that passed the schema were ever stored.
    keep_for: text("forever") as Leaf<KeepFor>,
  }),
  spam: block<SpamSettings>({
    protection: flag(true),
    require_token: flag(false),
    captcha: block<SpamSettings["captcha"]>({ provider: oneOf(captchaProviders, "none"), secret: text("") }),
  }),
  self_email_notification: block<FormRecord["self_email_notification"]>({
    enabled: flag(true),
    recipients: list(text()),
    include_spam: flag(false),
    subject: text("New submission: {{form.name}}"),
    logo_url: text(""),
    logo_height: number(48),
    template: block<FormRecord["self_email_notification"]["template"]>({ theme, html: text("") }),
    sender: block<FormRecord["self_email_notification"]["sender"]>({
      server_id: text(""),
      name: text(""),
      email: text(""),
    }),
  }),
  auto_response: block<FormRecord["auto_response"]>({
    enabled: flag(false),
    subject: text("Thank you for your message"),
    from_name: text(""),
    from_email: text(""),
    logo_url: text(""),
    logo_height: number(48),
    template: block<FormRecord["auto_response"]["template"]>({
      theme,
      message: text("Thank you. We received your message and will get back to you."),
      html: text(""),
    }),
  }),
  after_submit: block<FormRecord["after_submit"]>({
    page: block<FormRecord["after_submit"]["page"]>({
      theme: oneOf(leaves.page.theme.options, "formal"),
      mode: oneOf(leaves.page.mode.options, "light"),
      headline: text("Thank you!"),
      message: text("Your submission has been received."),
      logo_url: text(""),
      logo_dark_url: text(""),
      logo_size: oneOf(leaves.page.logo_size.options, "medium"),
      primary_color: text(USUAL_PRIMARY),
      secondary_color: text("#ffffff"),
      return_button: button("Return"),
      download_button: button(""),
    }),
    redirect: block<FormRecord["after_submit"]["redirect"]>({
      success_url: text(""),
      fail_url: text(""),
      append_submission_to_url: flag(false),
    }),
  }),
  validation: block<FormRecord["validation"]>({
    enabled: flag(true),
    rules: list(
      block<Rule>({
        field: text(),
        checks: list(block<Rule["checks"][number]>({ type: oneOf(checkTypes), value: text(""), message: text("") })),
      }),
    ),
  }),
  webhooks: list(webhookLeaf),
  settings: settingsLeaf,
  unique_key: text(""),
  locked: nullable(block<FormLock>({ reason: text(""), at: moment() })),
  restrictions: dictionary(restrictionLeaf),
  redirect_restriction: optional(restrictionLeaf),
  former_team_ids: optional(list(text())),
});

/** All settings of a form, from the places where its record has them. */
export const settingsOf = ({ settings, allowed_origins, spam, auto_response }: FormRecord): FormSettings => ({
  ...settings,
  allowed_origins,
  require_token: spam.require_token,
  from_email: auto_response.from_email,
});

/** The name of a field for people: the form's label, or the field's own name. */
export function labelOf({ settings: { labels } }: Pick<FormRecord, "settings">): (name: string) => string {
  return (name) => (Object.hasOwn(labels, name) ? (labels[name] as string) : name);
}
