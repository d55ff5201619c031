import { z } from "zod";
import { Cursor, Limit, listOf, Timestamp } from "../lib/wire.ts";
import { Button, Html, leaves, MailTheme } from "./form-leaves.ts";
import { FormSettings } from "./form-settings.ts";
import { Rules } from "./rules.ts";
import { Webhook } from "./webhooks.ts";

export const FormId = z.string().min(1).max(64);

const TemplateType = z.enum(["theme", "custom"]).describe("`custom` if `html` is not empty.");

/** A form, as every API returns it. */
export const Form = z
  .object({
    /** The form's id, part of its endpoint. */
    id: FormId,
    /** The team it belongs to. */
    team_id: z.string(),
    ...leaves.form.request,
    ...leaves.form.host,
    endpoint: z.string().describe("The URL that the HTML form posts to."),
    /** The time of its creation. */
    created_at: Timestamp,
    last_submission_at: Timestamp.nullable().describe("Null before the first one."),
    /** Submissions that were taken, spam aside. */
    submissions: z.object({
      /** Those of the current month in UTC. */
      this_month: z.int(),
      /** All of them. */
      all_time: z.int(),
    }),
    /** Storing and keeping submissions. */
    storage: z.object({ ...leaves.storage.request, ...leaves.storage.host }),
    /** Spam protection. */
    spam: z.object({
      ...leaves.spam.request,
      /** The captcha of the form. */
      captcha: z.object(leaves.captcha.derived),
    }),
    /** The mail to the owner for each submission. */
    self_email_notification: z.object({
      ...leaves.notification.request,
      subject: leaves.subject,
      /** The look of the email. */
      template: z.object({ type: TemplateType, theme: MailTheme, html: Html }),
      /** The sender of the mail. */
      sender: z.object({
        type: z.enum(["default", "email_server"]).describe("`email_server` if `server_id` is set."),
        ...leaves.sender.request,
      }),
    }),
    /** The mail that a visitor gets in reply. */
    auto_response: z.object({
      ...leaves.reply.request,
      subject: leaves.subject,
      /** The look and the text of the mail. */
      template: z.object({ type: TemplateType, theme: MailTheme, message: leaves.message, html: Html }),
    }),
    /** The visitor's page or redirect after a post. */
    after_submit: z.object({
      type: z.enum(["page", "redirect"]).describe("`redirect` if `redirect.success_url` is set."),
      /** The thank-you page. */
      page: z.object({
        ...leaves.page,
        /** The button under the text. */
        return_button: z.object(Button),
        /** The button that downloads a file. */
        download_button: z.object(Button),
      }),
      /** Addresses to send visitors to, in place of a page. */
      redirect: z.object(leaves.redirect),
    }),
    webhooks: z.array(Webhook).describe("Change them at `/v1/forms/{form_id}/webhooks`."),
    /** Rules that values must keep. */
    validation: z.object({
      /** False switches all rules off and keeps them. */
      enabled: z.boolean(),
      /** The rules. */
      rules: Rules,
    }),
  })
  .meta({ id: "Form" });
export type Form = z.infer<typeof Form>;

/** A form as the host sees it in process: with its settings. */
/** Why and since when a form is locked. */
export const FormLock = z.object({
  /** The reason, for the form's team. */
  reason: z.string(),
  /** The time at which it was locked. */
  at: Timestamp,
});
export type FormLock = z.infer<typeof FormLock>;

/** Input of `forms.lock`. */
export const FormLockInput = z.strictObject({
  /** Why, in 1 to 500 characters: the form's team reads it in the inbox, visitors don't. */
  reason: z.string().trim().min(1).max(500),
});
export type FormLockInput = z.input<typeof FormLockInput>;

/** Input of `forms.copy`. */
export const FormCopyInput = z.strictObject({
  /** The name of the copy; by default that of the form. */
  name: z.string().min(1).max(128).optional(),
  /** The team of the copy; by default that of the form. */
  team_id: z.string().max(64).optional(),
});
export type FormCopyInput = z.input<typeof FormCopyInput>;

/** Input of `forms.move`. */
export const FormMoveInput = z.strictObject({
  /** The team that gets the form. */
  team_id: z.string().min(1).max(64),
});
export type FormMoveInput = z.input<typeof FormMoveInput>;

/** Filters and position of a page of deleted forms. */
export const DeletedFormQuery = z.strictObject({
  /** True for deleted forms. */
  deleted: z.literal(true),
  /** Only forms of this team. */
  team_id: z.string().max(64).optional(),
  /** Forms per page, at most 100. */
  limit: z.int().min(1).max(100).default(25),
  cursor: Cursor,
});
export type DeletedFormQuery = z.input<typeof DeletedFormQuery>;

/** A form as the host sees it. */
export const HostForm = Form.extend({
  /** The settings of the form. */
  settings: FormSettings,
  /** Why the host locked it; left out where it did not. */
  locked: FormLock.optional(),
});
export type HostForm = z.infer<typeof HostForm>;

/** One page of forms. */
export const FormList = listOf(Form, "FormList");
export type FormList = z.infer<typeof FormList>;

/** A page of forms for the host. */
export const HostFormList = FormList.extend({
  /** The forms of this page. */
  data: z.array(HostForm),
});
export type HostFormList = z.infer<typeof HostFormList>;

/** Filters of a list of forms. */
export const FormListQuery = z.strictObject({
  limit: Limit,
  cursor: Cursor,
  team_id: z.string().max(64).optional().describe("Only this team, which the credential must cover."),
});
export type FormListQuery = z.output<typeof FormListQuery>;

export const FormDeleted = z
  .object({
    /** The id of the deleted form. */
    id: FormId,
    /** Always true. */
    deleted: z.literal(true),
  })
  .meta({ id: "FormDeleted" });
export type FormDeleted = z.infer<typeof FormDeleted>;
