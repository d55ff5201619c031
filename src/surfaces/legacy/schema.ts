import { z } from "zod";
import { isEmail } from "../../lib/email.ts";

type Choices = Readonly<Record<string, string>>;

/** A parameter of `PUT /api/form`: its values, and the v1 fields that it sets. */
interface Parameter {
  readonly takes: "text" | "flag" | "addresses" | "sender" | "nothing" | Choices;
  /** Dot paths; for a sender first that of the name, then that of the address. */
  readonly sets: readonly string[];
}

const pageThemes: Choices = { Fancy: "fancy", Formal: "formal", Sweet: "sweet" };
const modes: Choices = { Light: "light", Dark: "dark", System: "system" };
// `Custom` is not a theme of v1: a template is custom while it has html.
const mailThemes: Choices = { Fancy: "fancy", Formal: "formal", Custom: "" };

const text = (path: string): Parameter => ({ takes: "text", sets: [path] });
const flag = (path: string): Parameter => ({ takes: "flag", sets: [path] });
const choice = (takes: Choices, path: string): Parameter => ({ takes, sets: [path] });
const nothing: Parameter = { takes: "nothing", sets: [] };

/** Every parameter of a legacy create. Mapping, refusals and the table in `docs/api/legacy.md` follow from it. */
export const parameters: Readonly<Record<string, Parameter>> = {
  name: text("name"),
  email: { takes: "addresses", sets: ["self_email_notification.recipients"] },
  returnUrl: text("after_submit.redirect.success_url"),
  failUrl: text("after_submit.redirect.fail_url"),
  returnParams: flag("after_submit.redirect.append_submission_to_url"),
  googleRecaptcha: text("spam.captcha.secret_key"),
  webhook: text("webhooks.0.url"),
  retention: flag("storage.store_submissions"),
  thankYouPage_theme: choice(pageThemes, "after_submit.page.theme"),
  thankYouPage_headline: text("after_submit.page.headline"),
  thankYouPage_message: text("after_submit.page.message"),
  thankYouPage_mode: choice(modes, "after_submit.page.mode"),
  thankYouPage_returnText: text("after_submit.page.return_button.text"),
  thankYouPage_returnUrl: text("after_submit.page.return_button.url"),
  thankYouPage_logo: nothing,
  selfEmail_theme: choice(mailThemes, "self_email_notification.template.theme"),
  selfEmail_code: text("self_email_notification.template.html"),
  selfEmail_from: {
    takes: "sender",
    sets: ["self_email_notification.sender.name", "self_email_notification.sender.email"],
  },
  selfEmail_subject: text("self_email_notification.subject"),
  selfEmail_sendOnSpam: flag("self_email_notification.include_spam"),
  selfEmail_logo: nothing,
  autoResponse: flag("auto_response.enabled"),
  autoResponse_from: { takes: "sender", sets: ["auto_response.from_name", "auto_response.from_email"] },
  autoResponse_theme: choice(mailThemes, "auto_response.template.theme"),
  autoResponse_subject: text("auto_response.subject"),
  autoResponse_message: text("auto_response.template.message"),
  autoResponse_code: text("auto_response.template.html"),
  autoResponse_logo: nothing,
};

const Flag = z
  .custom<boolean | "true" | "false">(
    (value) => typeof value === "boolean" || value === "true" || value === "false",
    "must be true or false",
  )
  .transform((value) => value === true || value === "true");

const Addresses = z.string().transform((list, context) => {
  const addresses = list.split(",").flatMap((part) => part.trim() || []);
  const wrong = addresses.find((address) => !isEmail(address));
  if (wrong !== undefined) {
    const message = `must be email addresses separated by commas; "${wrong.slice(0, 100)}" is not one`;
    context.addIssue({ code: "custom", message });
  }
  return addresses;
});

function schemaOf({ takes }: Parameter): z.ZodType {
  if (takes === "nothing") return z.unknown();
  if (takes === "flag") return Flag;
  if (takes === "addresses") return Addresses;
  return typeof takes === "string" ? z.string() : z.enum(Object.keys(takes) as [string, ...string[]]);
}

/**
 * An HTML form sends every field that it has, so an empty one counts as not sent. `returnurl` is the published client's
 * spelling.
 */
function given(body: unknown): unknown {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body;
  const { returnurl, ...sent } = body as Record<string, unknown>;
  const entries = Object.entries({ ...(returnurl !== undefined && { returnUrl: returnurl }), ...sent });
  return Object.fromEntries(entries.filter(([, value]) => value !== "" && value !== null));
}

const shape = Object.fromEntries(
  Object.entries(parameters).map(([name, parameter]) => [name, schemaOf(parameter).optional()]),
);

/** The body of a legacy create. Unknown members are ignored: old clients send more than was ever documented. */
export const LegacyCreate = z.preprocess(
  given,
  z.object({ ...shape, name: z.string() } as Record<string, z.ZodType>).superRefine((sent, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: "custom", path: [path], message });
    const page = Object.keys(sent).find((name) => name.startsWith("thankYouPage_"));
    if (page && "returnUrl" in sent) {
      refuse(page, "must not be combined with `returnUrl`, which replaces the thank-you page");
    }
    for (const block of ["selfEmail", "autoResponse"]) {
      if (sent[`${block}_theme`] === "Custom" && sent[`${block}_code`] === undefined) {
        refuse(`${block}_code`, `is required with \`${block}_theme\` Custom`);
      }
    }
  }),
);
export type LegacyCreate = z.output<typeof LegacyCreate>;
