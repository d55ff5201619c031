import { z } from "zod";

/** Formats that need a `config` besides their URL. */
export const DestinationFormat = z.enum(["http"]);
export type DestinationFormat = z.infer<typeof DestinationFormat>;

/** True if a format needs a `config`. */
export const isDestination = (format: string): format is DestinationFormat =>
  (DestinationFormat.options as readonly string[]).includes(format);

export const MAX_HEADERS = 20;
export const MAX_TEMPLATE_BYTES = 32 * 1024;
const MAX_HEADER_VALUE = 4_096;

const Method = z.enum(["POST", "PUT", "PATCH"]);
const ContentType = z.enum(["application/json", "application/x-www-form-urlencoded", "text/plain"]);
export type ContentType = z.infer<typeof ContentType>;
const Success = z.array(
  z.union(
    [z.int().min(200).max(599), z.string().regex(/^[2-5]xx$/)],
    'must be statuses from 200 to 599, or classes such as "2xx"',
  ),
);

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
