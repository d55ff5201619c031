import { z } from "zod";

/** Services with calls of their own: several deliveries may go in one. */
const ServiceFormat = z.enum(["google_sheets", "airtable", "notion", "mailchimp", "hubspot"]);
export type ServiceFormat = z.infer<typeof ServiceFormat>;

/** Formats that need a `config`. */
export const DestinationFormat = z.enum(["http", ...ServiceFormat.options]);
export type DestinationFormat = z.infer<typeof DestinationFormat>;

/** Formats whose address follows from their settings, so that a caller leaves `url` out. */
const ownAddress: ReadonlySet<string> = new Set(["mailchimp", "hubspot"] satisfies ServiceFormat[]);
export const hasOwnAddress = (format: string): boolean => ownAddress.has(format);

const services: ReadonlySet<string> = new Set(ServiceFormat.options);

/** True if a format is written by calls of its service's own. */
export const isService = (format: string | undefined): format is ServiceFormat =>
  format !== undefined && services.has(format);

/** True if a format needs a `config`. */
export const isDestination = (format: string): format is DestinationFormat =>
  (DestinationFormat.options as readonly string[]).includes(format);

export const MAX_HEADERS = 20;
export const MAX_TEMPLATE_BYTES = 32 * 1024;
const MAX_HEADER_VALUE = 4_096;
const MAX_NAMES = 100;

const Method = z.enum(["POST", "PUT", "PATCH"]);
const ContentType = z.enum(["application/json", "application/x-www-form-urlencoded", "text/plain"]);
export type ContentType = z.infer<typeof ContentType>;
const Success = z.array(
  z.union(
    [z.int().min(200).max(599), z.string().regex(/^[2-5]xx$/)],
    'must be statuses from 200 to 599, or classes such as "2xx"',
  ),
);

/** A member that an answer shows as `"set"` where there is a secret. */
export const SET = "set";

/** The key file of a service account: the object, or its text as a variable has it. */
const Credentials = z.union(
  [z.string().min(1).max(16_384), z.record(z.string(), z.unknown())],
  "must be the JSON of a service account's key file",
);

const Token = z
  .string()
  .min(1)
  .max(1_000)
  .regex(/^[\x21-\x7e]+$/, "has a space, a line break or another character that no key has");
const FieldName = z.string().min(1).max(200);
const Names = z
  .record(z.string().min(1).max(100), FieldName.nullable())
  .refine((names) => Object.keys(names).length <= MAX_NAMES, `must have at most ${MAX_NAMES} entries`);

/** The members of a destination's `config`, of which each format has its own. */
export const DestinationConfigInput = z
  .strictObject({
    method: Method.describe("`http`: the method of the request. Default `POST`."),
    headers: z
      .record(z.string().min(1).max(100), z.string().max(MAX_HEADER_VALUE).nullable())
      .describe("`http`: at most 20 headers. Their values are secrets; null removes one."),
    content_type: ContentType.describe("`http`: the type of the body. Default `application/json`."),
    body: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= MAX_TEMPLATE_BYTES, "must have at most 32768 bytes")
      .describe("`http`: a template of the body, of at most 32 KiB."),
    success: Success.min(1).max(20).describe('`http`: the statuses of a delivery. Default `["2xx"]`.'),
    sheet: z
      .string()
      .min(1)
      .max(100)
      .nullable()
      .describe("`google_sheets`: the name of the sheet (tab). Default: that of the address, otherwise the first."),
    credentials: Credentials.nullable().describe(
      "`google_sheets`: the JSON key of a service account, a secret. Default: the host's option `integrations.google.credentials`.",
    ),
    token: Token.describe("`airtable`, `notion`, `hubspot`: the token of the service, a secret."),
    api_key: Token.describe("`mailchimp`: the API key, with its data centre at the end; a secret."),
    list_id: z
      .string()
      .regex(/^[\w-]{1,50}$/, "must be the id of an audience, such as a1b2c3d4e5 (Audience settings, Audience ID)")
      .describe("`mailchimp`: the id of the audience."),
    email_field: FieldName.describe("`mailchimp`, `hubspot`: the field with the address. Default `email`."),
    merge_fields: Names.describe("`mailchimp`: fields by merge tags, such as `{FNAME: name}`; null removes one."),
    tags: z.array(z.string().trim().min(1).max(100)).max(20).describe("`mailchimp`: tags that each contact gets."),
    double_opt_in: z.boolean().describe("`mailchimp`: true, the default, has Mailchimp ask new contacts first."),
    properties: Names.describe("`hubspot`: fields by properties, such as `{firstname: name}`; null removes one."),
  })
  .partial()
  .meta({ id: "DestinationConfigInput" });
export type DestinationConfigInput = z.input<typeof DestinationConfigInput>;

/** The same as answers have it: a secret is masked. */
export const DestinationConfig = z
  .object({
    method: Method.describe("`http`: the method of the request."),
    headers: z.record(z.string(), z.string()).describe("`http`: the headers, of each value its last four characters."),
    content_type: ContentType.describe("`http`: the type of the body."),
    body: z.string().describe("`http`: the template of the body."),
    success: Success.describe("`http`: the statuses of a delivery."),
    sheet: z.string().describe("`google_sheets`: the name of the sheet (tab); left out for the first."),
    credentials: z
      .object({
        /** The address to share the spreadsheet with. */
        client_email: z.string(),
        /** Always `set`. */
        private_key: z.string(),
      })
      .describe("`google_sheets`: the address to share the spreadsheet with; the key itself is never shown."),
    token: z.string().describe("`airtable`, `notion`, `hubspot`: always `set`."),
    api_key: z.string().describe("`mailchimp`: always `set`."),
    list_id: z.string().describe("`mailchimp`: the id of the audience."),
    email_field: z.string().describe("`mailchimp`, `hubspot`: the field with the address."),
    merge_fields: z.record(z.string(), z.string()).describe("`mailchimp`: fields by merge tags."),
    tags: z.array(z.string()).describe("`mailchimp`: tags that each contact gets."),
    double_opt_in: z.boolean().describe("`mailchimp`: true if Mailchimp asks new contacts first."),
    properties: z.record(z.string(), z.string()).describe("`hubspot`: fields by properties."),
  })
  .partial()
  .meta({ id: "DestinationConfig" });
export type DestinationConfig = z.infer<typeof DestinationConfig>;

/** The settings of a webhook of the format `http`, complete. */
export interface HttpConfig {
  readonly method: z.infer<typeof Method>;
  readonly headers: Readonly<Record<string, string>>;
  readonly content_type: ContentType;
  readonly body: string;
  readonly success: readonly (number | string)[];
}
