import { z } from "zod";

/** The control of a field. */
export const MarkupType = z.enum([
  "text",
  "email",
  "tel",
  "url",
  "date",
  "number",
  "textarea",
  "select",
  "radio",
  "checkbox",
  "password",
  "file",
]);
export type MarkupType = z.infer<typeof MarkupType>;

const Line = z.string().min(1).max(1_000);

/** A field of the markup; what is left out comes from the form's rules, its schema and its labels. */
export const MarkupField = z.strictObject({
  /** The field's name. */
  name: z.string().min(1).max(200),
  /** The label; default the form's own, or the name in words. */
  label: Line.optional(),
  /** The control. */
  type: MarkupType.optional(),
  /** True if it must be filled in. */
  required: z.boolean().optional(),
  /** The choices of `select`, `radio` and `checkbox`. */
  options: z.array(z.string().min(1).max(200)).min(1).max(500).optional(),
  /** A sentence that helps to fill it in. */
  hint: Line.optional(),
  /** What the browser fills in, such as `given-name`. */
  autocomplete: z
    .string()
    .regex(/^[a-z][a-z0-9 -]{0,60}$/, "must be tokens such as given-name")
    .optional(),
});
export type MarkupField = z.infer<typeof MarkupField>;

/** Input of `forms.html`. */
export const MarkupInput = z.strictObject({
  /** The fields in their order, by name or with what they need; default those of the schema, the rules and past submissions. */
  fields: z
    .array(z.union([z.string().min(1).max(200), MarkupField]))
    .min(1)
    .max(100)
    .optional(),
  /** The language of our own words; default the form's, and English where that is `auto`. */
  language: z.string().max(40).optional(),
  /** The prefix of ids, so that two forms fit on one page. Default `form`. */
  id: z
    .string()
    .regex(/^[A-Za-z][\w-]{0,60}$/, "must begin with a letter, and have letters, digits, - and _")
    .default("form"),
  /** Values to fill in, for a page that shows a post again. */
  values: z.record(z.string(), z.union([z.string(), z.array(z.string())])).optional(),
  /** Faults by field, as the answer's `errors` has them, or as texts. They make an error summary. */
  errors: z.record(z.string(), z.union([z.string(), z.looseObject({ message: z.string() })])).optional(),
});
export type MarkupInput = z.input<typeof MarkupInput>;
