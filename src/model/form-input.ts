import { z } from "zod";
import { fixed, strict } from "../lib/input.ts";
import { Button, isEmoji, leaves, MailTheme, Origins, tagged } from "./form-leaves.ts";
import { FormSettingsPatch, HostFormSettingsPatch } from "./form-settings.ts";
import { RulesInput } from "./rules.ts";

const patch = <T extends z.ZodRawShape>(shape: T, elsewhere: Readonly<Record<string, string>> = {}) =>
  strict(shape, elsewhere).partial();

const inProcess = "is read-only here; set it in process, with `backend.forms.update`";
/** Members that a form returns and that can't be set here. */
const answered = {
  ...fixed("id", "team_id", "endpoint", "created_at", "last_submission_at", "submissions"),
  webhooks: "is read-only here; set it at `/v1/forms/{form_id}/webhooks`",
};
const secretSet = { secret_key_set: "is read-only; set `spam.captcha.secret_key`" };
const type = { type: "is read-only; it follows from the other leaves" };
const inSettings = "is not set here; set it at `/v1/forms/{form_id}/settings`";

const AfterSubmitInput = patch(
  {
    /** The thank-you page. */
    page: patch({
      ...leaves.page,
      /** The button under the text. */
      return_button: patch(Button),
      /** The button that downloads a file. */
      download_button: patch(Button),
    }),
    /** Addresses to send visitors to, in place of a page. */
    redirect: patch(leaves.redirect),
  },
  type,
);

const ValidationInput = patch({
  /** False switches all rules off and keeps them. */
  enabled: z.boolean(),
  /** The rules, all of them: a list is replaced. */
  rules: RulesInput,
});

/** Body of an update over the API: any subset of the members of a create. */
export const FormPatch = patch(
  {
    ...leaves.form.request,
    /** Storing and keeping submissions. */
    storage: patch(leaves.storage.request, { keep_for: inProcess }),
    /** Spam protection. */
    spam: patch(
      {
        ...leaves.spam.request,
        /** The captcha of the form. */
        captcha: patch(leaves.captcha.request, { provider: inProcess, ...secretSet }),
      },
      { require_token: inSettings },
    ),
    /** The mail to the owner for each submission. */
    self_email_notification: patch({
      ...leaves.notification.request,
      subject: tagged.subject,
      /** The look of the email. */
      template: patch({ html: tagged.html }, { ...type, theme: inProcess }),
      /** The sender of the mail. */
      sender: patch(leaves.sender.request, type),
    }),
    /** The mail that a visitor gets in reply. */
    auto_response: patch(
      {
        ...leaves.reply.request,
        subject: tagged.subject,
        /** The text of the mail. */
        template: patch({ message: tagged.message, html: tagged.html }, { ...type, theme: inProcess }),
      },
      { from_email: inSettings },
    ),
    /** The visitor's page or redirect after a post. */
    after_submit: AfterSubmitInput,
    /** Rules that values must keep. */
    validation: ValidationInput,
  },
  { ...answered, avatar: inProcess, allowed_origins: inSettings, settings: inSettings },
).meta({ id: "FormPatch" });

/** The body of a create over the API. */
export const FormCreate = FormPatch.extend({
  name: leaves.form.request.name,
  team_id: z.string().max(64).optional().describe("Required if the credential covers several teams."),
  settings: FormSettingsPatch.optional().describe("The same as at `/v1/forms/{form_id}/settings`."),
}).meta({ id: "FormCreate" });

/**
 * Input of the in-process update: the API's members, those that only the host may set, and `settings`. `allowed_origins`,
 * `spam.require_token` and `auto_response.from_email` are also leaves of `settings`, which returns them.
 */
export const HostFormPatch = patch(
  {
    ...leaves.form.request,
    /** The settings of the form. */
    settings: HostFormSettingsPatch,
    avatar: leaves.form.host.avatar.refine(isEmoji, "must be one emoji"),
    /** Web origins whose posts are accepted, such as https://example.com; empty for any. */
    allowed_origins: Origins,
    /** Storing and keeping submissions. */
    storage: patch({ ...leaves.storage.request, ...leaves.storage.host }),
    /** Spam protection. */
    spam: patch({
      ...leaves.spam.request,
      ...leaves.spam.host,
      /** The captcha of the form. */
      captcha: patch({ ...leaves.captcha.request, ...leaves.captcha.host }, secretSet),
    }),
    /** The mail to the owner for each submission. */
    self_email_notification: patch({
      ...leaves.notification.request,
      subject: tagged.subject,
      /** The look of the email. */
      template: patch({ theme: MailTheme, html: tagged.html }, type),
      /** The sender of the mail. */
      sender: patch(leaves.sender.request, type),
    }),
    /** The mail that a visitor gets in reply. */
    auto_response: patch({
      ...leaves.reply.request,
      subject: tagged.subject,
      ...leaves.reply.host,
      /** The look and the text of the mail. */
      template: patch({ theme: MailTheme, message: tagged.message, html: tagged.html }, type),
    }),
    /** The visitor's page or redirect after a post. */
    after_submit: AfterSubmitInput,
    /** Rules that values must keep. */
    validation: ValidationInput,
  },
  { ...answered, webhooks: "is read-only here; set it with `backend.webhooks`" },
);
export type HostFormPatch = z.input<typeof HostFormPatch>;

/** Input of the in-process create. */
export const HostFormCreate = HostFormPatch.extend({
  name: leaves.form.request.name,
  /** The team it belongs to. */
  team_id: z.string().max(64).optional(),
});
export type HostFormCreate = z.input<typeof HostFormCreate>;
