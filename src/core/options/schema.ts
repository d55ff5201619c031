import { z } from "zod";
import type { BlobDriver } from "../../drivers/blob/types.ts";
import type { MailerDriver } from "../../drivers/mailer/types.ts";
import type { QueueDriver } from "../../drivers/queue/types.ts";
import type { StorageDriver } from "../../drivers/storage/types.ts";
import { OUR_NAME } from "../../lib/brand.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";
import { parseCidr } from "../../lib/cidr.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { isEmail, parseMailbox } from "../../lib/email.ts";
import { SIGNATURE_HEADER } from "../../lib/signature-header.ts";
import { Origin } from "../../lib/wire.ts";
import { dialectNames } from "../../model/dialects.ts";
import { localeFault } from "../../texts/locales/_check.ts";
import type { Locale } from "../../texts/locales/_types.ts";
import { EncryptionSchema } from "./encryption.ts";
import { FilesSchema } from "./files.ts";
import type { FormCheck } from "./form-check.ts";
import type { FormBackendOptions } from "./given.ts";
import { HostWebhooksSchema } from "./host-webhooks.ts";
import { InboundSchema } from "./inbound.ts";
import { InboxSchema } from "./inbox.ts";
import { IntegrationsSchema } from "./integrations.ts";
import type { Logger } from "./logger.ts";
import { McpSchema } from "./mcp.ts";
import { OAuthSchema } from "./oauth.ts";
import { PlanSchema } from "./plan-schema.ts";
import { RateLimitSchema } from "./rate-limit.ts";
import { CaptchaSchema, CountrySchema, SpamSchema } from "./spam.ts";

const hasMethods = (value: unknown, names: readonly string[]): boolean =>
  typeof value === "object" && value !== null && names.every((name) => typeof Reflect.get(value, name) === "function");

/** `call` is how a driver is made, for hosts that pass its name or forget to call the function. */
const port = <T>(verbs: readonly string[], call: string) =>
  z.custom<T>((value) => hasMethods(value, verbs), {
    error: ({ input }) =>
      typeof input === "function"
        ? `must be a driver, not a function; call it: ${call}`
        : typeof input === "string"
          ? `must be a driver, not a string; write ${call}`
          : `must be a driver with the methods ${verbs.join(", ")}, such as ${call}`,
  });
const fn = <T>() => z.custom<T>((value) => typeof value === "function", "must be a function");
const Base = z.string().refine((value) => {
  if (!canParseUrl(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username;
}, "must be an absolute http(s) URL without query, such as https://app.example.com/forms");
const Cidr = z
  .string()
  .refine(
    (value) => value.includes("/") && parseCidr(value) !== null,
    "must be a CIDR such as 10.0.0.0/8, or 10.0.0.1/32 for one address",
  );

const Secret = z.string().refine((value) => value === "" || value.length >= 32, "must have at least 32 characters");
const LocaleSchema = z.custom<Locale>((value) => localeFault(value) === null, {
  error: ({ input }) => localeFault(input) ?? "is wrong",
});

/**
 * The options of `createFormBackend`: a sentence for each fault, and the defaults of those that need nothing but a value. An
 * option has its comment in `given.ts` and is here; the resolved options have its type from here.
 */
export const OptionsSchema = z.strictObject({
  baseUrl: Base,
  legacyBaseUrl: Base.optional(),
  // An empty one is a variable that a build leaves empty, and counts as missing.
  secret: z
    .union([Secret, z.array(Secret).max(10)], "must be a string, or a list of at most 10 with the current one first")
    .optional(),
  encryption: EncryptionSchema.optional(),
  storage: port<StorageDriver>(
    ["open", "get", "page", "count", "commit", "claim", "nextDueAt", "close"],
    'sqliteStorage({ path: "forms.db" })',
  ).optional(),
  mailer: port<MailerDriver>(
    ["send", "verify", "close"],
    'smtpMailer("smtps://user:password@mail.example.com")',
  ).optional(),
  blob: port<BlobDriver>(["put", "get", "remove", "close"], 'fsBlob({ dir: "uploads" })').optional(),
  queue: port<QueueDriver>(["wake", "listen", "close"], "postgresQueue({ pool })").optional(),
  from: z
    .string()
    .refine((value) => parseMailbox(value) !== null, 'must be an address, or "Name <address>"')
    .optional(),
  senderDomains: z
    .array(z.string().refine((value) => isEmail(`a@${value}`), "must be a domain such as example.com"))
    .optional(),
  confirmRecipients: z.boolean().default(false),
  plans: z.record(z.string(), PlanSchema).optional(),
  formChecks: z.array(fn<FormCheck>()).max(20).optional(),
  abuse: z.strictObject({ report: z.boolean().default(false) }).prefault({}),
  defaultPlan: z.string().default("unlimited"),
  dialects: z.array(z.enum(dialectNames, `must be one of ${dialectNames.join(", ")}`)).default([]),
  locales: z.array(LocaleSchema).default([]),
  language: z.string().default("en"),
  brand: z
    .strictObject({
      name: z.string().min(1).max(100).default(OUR_NAME),
      keyPrefix: z
        .string()
        .regex(/^[a-z0-9_]{1,32}$/i, "must be letters, digits and underscores")
        .default("fb_live_"),
      signatureHeader: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,64}$/, "must be a header name")
        .default(SIGNATURE_HEADER),
      userAgent: z
        .string()
        .regex(/^[\x20-\x7e]{1,200}$/, "must be printable ASCII")
        .default("FormBackend-Webhooks/1"),
      supportUrl: z.url().default(""),
    })
    .prefault({}),
  oauth: OAuthSchema.optional(),
  authenticate: fn<NonNullable<FormBackendOptions["authenticate"]>>().optional(),
  inbox: InboxSchema.optional(),
  inbound: InboundSchema.optional(),
  mcp: McpSchema.optional(),
  rateLimit: RateLimitSchema.optional(),
  trustProxy: z
    .union(
      [z.boolean(), z.number().int().min(0), z.array(Cidr)],
      'must be true, the number of proxies in front, or their CIDRs such as ["127.0.0.0/8"]; names such as "loopback" are not known',
    )
    .default(false),
  trustRequestId: z.boolean().default(false),
  country: CountrySchema.optional(),
  captcha: CaptchaSchema.prefault({}),
  spam: SpamSchema.prefault({}),
  files: FilesSchema.prefault({}),
  webhooks: z
    .strictObject({
      allowHttp: z.boolean().default(false),
      allowCidrs: z.array(Cidr).default([]),
      timeoutMs: z.number().int().min(100).max(60_000).default(15_000),
      concurrency: z.number().int().min(1).max(1000).default(64),
      perWebhook: z.number().int().min(1).max(1000).default(8),
      dnsUrl: z
        .url({ protocol: /^https?$/, error: "must be an http(s) URL such as https://cloudflare-dns.com/dns-query" })
        .default("https://cloudflare-dns.com/dns-query"),
    })
    .prefault({}),
  hostWebhooks: HostWebhooksSchema,
  integrations: IntegrationsSchema.optional(),
  cors: z.strictObject({ management: z.array(Origin).default([]) }).prefault({}),
  work: z.union([z.boolean(), z.literal("on-request")], 'must be true, false or "on-request"').default(true),
  verify: z.boolean().default(true),
  telemetry: z.strictObject({ teams: z.boolean().default(false) }).prefault({}),
  clock: z
    .custom<Clock>((value) => hasMethods(value, ["now", "setTimer"]), "must have the methods now and setTimer")
    .default(() => systemClock),
  logger: z
    .custom<Logger>(
      (value) => hasMethods(value, ["debug", "info", "warn", "error"]),
      "must be a logger with the methods debug, info, warn and error, such as console or pino()",
    )
    .optional(),
} satisfies Record<keyof FormBackendOptions, z.ZodType>);
