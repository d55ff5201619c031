import { z } from "zod";
import { line, text } from "./form-leaves.ts";

/** `<n>_days` with n from 1 to 30. */
const UpTo30Days = z.string().regex(/^([1-9]|[12]\d|30)_days$/, "must be <n>_days, with n from 1 to 30") as z.ZodType<
  `${number}_days`,
  `${number}_days`
>;

/** The number of days in a setting such as `7_days`. */
export const daysOf = (setting: `${number}_days`): number => Number.parseInt(setting, 10);

/** Rules of a form for the email address in a post, checked before the post counts. */
export const DoubleOptIn = z
  .object({
    /** True to switch it on. */
    enabled: z.boolean(),
    field: z.string().min(1).max(200).describe("The field with the address that gets the email."),
    subject: line(300).min(1).describe("Subject of the email; `{{form.name}}` is the form's name."),
    message: text(2_000)
      .min(1)
      .describe(
        "The sentence that the sender confirms, in the email and on the page; `{{form.name}}` is the form's name.",
      ),
    expires: UpTo30Days.describe("Lifetime of the link: `<n>_days`, 1 to 30. After that, the submission is deleted."),
  })
  .describe("A submission is accepted only after its sender has confirmed the address with a link.");
export type DoubleOptIn = z.infer<typeof DoubleOptIn>;

export const defaultDoubleOptIn: DoubleOptIn = {
  enabled: false,
  field: "email",
  subject: "Please confirm your email address",
  message: "Please confirm that you sent the form “{{form.name}}” and that this email address is yours.",
  expires: "7_days",
};

/** Time that typed and unsent values are kept. */
export const Drafts = z
  .object({
    /** True to switch it on. */
    enabled: z.boolean(),
    keep_for: UpTo30Days.describe("Lifetime of a draft after its last change: `<n>_days`, 1 to 30."),
  })
  .describe("Stores what visitors have entered and not submitted yet.");
export type Drafts = z.infer<typeof Drafts>;

export const defaultDrafts: Drafts = { enabled: false, keep_for: "7_days" };

/** Whether senders may change what they sent. */
export const Edit = z
  .object({
    /** True to switch it on. */
    enabled: z.boolean(),
    until: z
      .string()
      .regex(/^([1-9]|[1-9]\d|[12]\d\d|3[0-5]\d|36[0-5])_days$/, "must be <n>_days, with n from 1 to 365")
      .describe("Lifetime of the link: `<n>_days`, 1 to 365 after the submission.") as z.ZodType<
      `${number}_days`,
      `${number}_days`
    >,
  })
  .describe("Senders get a link by which they can change what they sent; forms that store no submissions give none.");
export type Edit = z.infer<typeof Edit>;

export const defaultEdit: Edit = { enabled: false, until: "7_days" };

/** Setting for counting views and starts. */
export const Statistics = z
  .object({
    /** True to switch it on. */
    enabled: z.boolean(),
  })
  .describe("Counts how often the form is seen and started, without a cookie or an IP address.");
