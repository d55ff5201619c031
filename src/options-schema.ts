import { isIP } from "node:net";
import { z } from "zod";
import type { BlobDriver } from "./drivers/blob/types.ts";
import type { MailerDriver } from "./drivers/mailer/types.ts";
import type { QueueDriver } from "./drivers/queue/types.ts";
import type { StorageDriver } from "./drivers/storage/types.ts";
import { FilesSchema } from "./files/options.ts";
import { OAuthSchema } from "./keys/oauth.ts";
import type { Clock } from "./lib/clock.ts";
import { parseMailbox } from "./lib/email.ts";
import { RateLimitSchema } from "./lib/rates.ts";
import type { FormBackendOptions, Logger } from "./options.ts";
import { CaptchaSchema, CountrySchema, SpamSchema } from "./spam/options.ts";
import { PlanSchema } from "./teams/plan-schema.ts";

const port = <T>(verbs: readonly string[]) =>
  z.custom<T>(
    (value) =>
      typeof value === "object" &&
      value !== null &&
      verbs.every((verb) => typeof Reflect.get(value, verb) === "function"),
    `must be a driver with the methods ${verbs.join(", ")}`,
  );
const fn = <T>() => z.custom<T>((value) => typeof value === "function", "must be a function");
const Base = z.string().refine((value) => {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
}, "must be an absolute http(s) URL without query, such as https://app.example.com/forms");
const Cidr = z.string().refine((value) => {
  const [address = "", bits = ""] = value.split("/");
  const family = isIP(address);
  return family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}, "must be a CIDR such as 10.0.0.0/8");
const Origin = z
  .string()
  .refine(
    (value) => URL.canParse(value) && new URL(value).origin === value,
    "must be an origin such as https://example.com",
  );

/** What `createFormBackend` takes, with a sentence for each fault. */
export const OptionsSchema = z.strictObject({
  baseUrl: Base,
  legacyBaseUrl: Base.optional(),
  secret: z.string().min(32, "must have at least 32 characters").optional(),
  storage: port<StorageDriver>(["open", "get", "page", "count", "commit", "claim", "nextDueAt", "close"]).optional(),
  mailer: port<MailerDriver>(["send", "verify", "close"]).optional(),
  blob: port<BlobDriver>(["put", "get", "remove", "close"]).optional(),
  queue: port<QueueDriver>(["wake", "listen", "close"]).optional(),
  from: z
    .string()
    .refine((value) => parseMailbox(value) !== null, 'must be an address, or "Name <address>"')
    .optional(),
  plans: z.record(z.string(), PlanSchema).optional(),
  defaultPlan: z.string().optional(),
  brand: z
    .strictObject({
      name: z.string().min(1).max(100),
      keyPrefix: z.string().regex(/^[a-z0-9_]{1,32}$/i, "must be letters, digits and underscores"),
      signatureHeader: z.string().regex(/^[A-Za-z0-9-]{1,64}$/, "must be a header name"),
      userAgent: z.string().regex(/^[\x20-\x7e]{1,200}$/, "must be printable ASCII"),
      supportUrl: z.url(),
    })
    .partial()
    .optional(),
  oauth: OAuthSchema.optional(),
  authenticate: fn<NonNullable<FormBackendOptions["authenticate"]>>().optional(),
  rateLimit: RateLimitSchema.optional(),
  trustProxy: z.union([z.boolean(), z.number().int().min(0), z.array(Cidr)]).optional(),
  trustRequestId: z.boolean().optional(),
  country: CountrySchema.optional(),
  captcha: CaptchaSchema.optional(),
  spam: SpamSchema.optional(),
  files: FilesSchema.optional(),
  webhooks: z
    .strictObject({
      allowHttp: z.boolean(),
      allowCidrs: z.array(Cidr),
      timeoutMs: z.number().int().min(100).max(60_000),
      concurrency: z.number().int().min(1).max(1000),
      perWebhook: z.number().int().min(1).max(1000),
    })
    .partial()
    .optional(),
  cors: z.strictObject({ management: z.array(Origin).optional() }).optional(),
  work: z.boolean().optional(),
  clock: z
    .custom<Clock>(
      (v) => typeof v === "object" && v !== null && "now" in v && "setTimer" in v,
      "must have now and setTimer",
    )
    .optional(),
  logger: port<Logger>(["debug", "info", "warn", "error"]).optional(),
});
