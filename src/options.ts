import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";
import type { BlobDriver } from "./drivers/blob/types.ts";
import type { MailerDriver } from "./drivers/mailer/types.ts";
import type { QueueDriver } from "./drivers/queue/types.ts";
import type { StorageDriver } from "./drivers/storage/types.ts";
import { type Files, type FilesOptions, FilesSchema, resolveFiles } from "./files/options.ts";
import { type OAuthOptions, OAuthSchema } from "./keys/oauth.ts";
import { type Caller, Scope } from "./keys/schema.ts";
import { type Clock, systemClock } from "./lib/clock.ts";
import { parseMailbox } from "./lib/email.ts";
import { type RateLimitOptions, RateLimitSchema, type Rates, resolveRates } from "./lib/rates.ts";
import {
  type CaptchaOptions,
  CaptchaSchema,
  type CountryOption,
  CountrySchema,
  type SpamOptions,
  SpamSchema,
} from "./spam/options.ts";
import { PlanSchema } from "./teams/plan-schema.ts";
import { mergePlans, type Plan } from "./teams/plans.ts";

/** Where the library reports what its host should know. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What `createFormBackend` takes; only `baseUrl` is required. */
export interface FormBackendOptions {
  /** The http(s) URL where the backend is mounted as the outside sees it, path included. Every public link begins with it. */
  baseUrl: string;
  /** Where the legacy API lives when that is elsewhere. Default: `baseUrl`. */
  legacyBaseUrl?: string;
  /** At least 32 characters; encrypts stored secrets and signs links and tokens. Required when NODE_ENV is production. */
  secret?: string;
  /** Default: memory, with a warning outside tests. */
  storage?: StorageDriver;
  /** Default: prints to the log. */
  mailer?: MailerDriver;
  /** Default: memory. */
  blob?: BlobDriver;
  /** Default: this process. */
  queue?: QueueDriver;
  /** The default sender, `Name <address>`. */
  from?: string;
  /** Added to the built-in `free` and `unlimited`; a member left out is as in `unlimited`. */
  plans?: Record<string, Partial<Plan>>;
  /** The plan of a new team. Default `unlimited`. */
  defaultPlan?: string;
  brand?: { name?: string; keyPrefix?: string; signatureHeader?: string; userAgent?: string; supportUrl?: string };
  /** Takes access tokens of an authorization server beside API keys. */
  oauth?: OAuthOptions;
  /**
   * Answers the caller behind the host's own session, or null. It is asked only when a request has no `Authorization` header.
   * A session in a cookie travels with requests that other websites cause, so answer null unless `Sec-Fetch-Site` is
   * `same-origin` or `Origin` is your own.
   */
  authenticate?: (request: Request) => Caller | null | Promise<Caller | null>;
  /** How much each caller may ask; `false` = no limits, null = not this one. Addresses are counted only where the host tells them. */
  rateLimit?: false | RateLimitOptions;
  /** Whether a proxy's forwarded addresses are believed: `true`, a number of hops, or the proxies' CIDRs. Default false. */
  trustProxy?: boolean | number | string[];
  /** Takes over a caller's `X-Request-Id`. Default false. */
  trustRequestId?: boolean;
  /** Where the country of a submission comes from. Default: it is not known. */
  country?: CountryOption;
  captcha?: CaptchaOptions;
  spam?: SpamOptions;
  files?: FilesOptions;
  webhooks?: {
    /** Also `http:` URLs. Default false. */
    allowHttp?: boolean;
    /** Private networks that webhooks and the email servers of teams may reach all the same, such as `10.1.0.0/16`. */
    allowCidrs?: string[];
    /** One attempt from name look-up to the last byte, in ms. Default 15,000. */
    timeoutMs?: number;
    /** Attempts in flight in this process. Default 64. */
    concurrency?: number;
    /** Attempts in flight for one webhook. Default 8. */
    perWebhook?: number;
  };
  /** Origins whose pages may call the management API from a browser. Default none. */
  cors?: { management?: string[] };
  /** Runs workers in this process. Default true. */
  work?: boolean;
  clock?: Clock;
  logger?: Logger;
}

/** The options with every default filled in. */
export interface Options {
  readonly baseUrl: string;
  readonly basePath: string;
  readonly legacyBaseUrl: string;
  readonly legacyBasePath: string;
  readonly secret: string;
  readonly from: { name: string; address: string };
  readonly plans: ReadonlyMap<string, Plan>;
  readonly defaultPlan: string;
  readonly brand: { name: string; keyPrefix: string; signatureHeader: string; userAgent: string; supportUrl: string };
  readonly oauth: OAuthOptions | undefined;
  readonly authenticate: ((request: Request) => Caller | null | Promise<Caller | null>) | undefined;
  readonly rateLimit: Rates;
  readonly trustProxy: boolean | number | string[];
  readonly trustRequestId: boolean;
  readonly country: CountryOption | undefined;
  readonly captcha: Required<CaptchaOptions>;
  readonly spam: Required<SpamOptions>;
  readonly files: Files;
  readonly webhooks: {
    allowHttp: boolean;
    allowCidrs: string[];
    timeoutMs: number;
    concurrency: number;
    perWebhook: number;
  };
  readonly cors: { management: string[] };
  readonly work: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

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
const Schema = z.strictObject({
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

const stderr = (level: string) => (message: string) =>
  void process.stderr.write(`[form-backend] ${level}: ${message}\n`);
const defaultLogger: Logger = { debug: () => {}, info: stderr("info"), warn: stderr("warn"), error: stderr("error") };

/** Checks the host's options and fills in defaults. Throws a TypeError that names the option and what to change. */
export function resolveOptions(input: FormBackendOptions): Options {
  const parsed = Schema.safeParse(input);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const at = [...(issue?.path ?? []), ...(issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [])].join(
      ".",
    );
    const what = issue?.code === "unrecognized_keys" ? "is not an option" : (issue?.message ?? "is wrong");
    throw new TypeError(`[form-backend] option ${at ? `\`${at}\`` : "object"}: ${what}`);
  }
  const options = parsed.data;
  const logger = options.logger ?? defaultLogger;
  const baseUrl = trimmed(options.baseUrl);
  const legacyBaseUrl = trimmed(options.legacyBaseUrl ?? options.baseUrl);
  const plans = mergePlans(input.plans);
  const defaultPlan = options.defaultPlan ?? "unlimited";
  if (!plans.has(defaultPlan))
    throw new TypeError(`[form-backend] option \`defaultPlan\`: there is no plan "${defaultPlan}"`);

  return {
    baseUrl,
    basePath: pathOf(baseUrl),
    legacyBaseUrl,
    legacyBasePath: pathOf(legacyBaseUrl),
    secret: options.secret ?? randomSecret(logger),
    from: parseMailbox(options.from ?? `no-reply@${new URL(baseUrl).hostname}`) ?? {
      name: "",
      address: "no-reply@localhost.invalid",
    },
    plans,
    defaultPlan,
    brand: {
      name: options.brand?.name ?? "Form Backend",
      keyPrefix: options.brand?.keyPrefix ?? "fb_live_",
      signatureHeader: options.brand?.signatureHeader ?? "X-Service-Signature",
      userAgent: options.brand?.userAgent ?? "FormBackend-Webhooks/1",
      supportUrl: options.brand?.supportUrl ?? "",
    },
    oauth: input.oauth,
    authenticate: options.authenticate,
    rateLimit: resolveRates(input.rateLimit),
    trustProxy: options.trustProxy ?? false,
    trustRequestId: options.trustRequestId ?? false,
    country: input.country,
    captcha: { verifyUrl: input.captcha?.verifyUrl ?? {}, timeoutMs: input.captcha?.timeoutMs ?? 5_000 },
    spam: { checks: input.spam?.checks ?? [] },
    files: resolveFiles(options.files as FilesOptions | undefined),
    webhooks: {
      allowHttp: options.webhooks?.allowHttp ?? false,
      allowCidrs: options.webhooks?.allowCidrs ?? [],
      timeoutMs: options.webhooks?.timeoutMs ?? 15_000,
      concurrency: options.webhooks?.concurrency ?? 64,
      perWebhook: options.webhooks?.perWebhook ?? 8,
    },
    cors: { management: options.cors?.management ?? [] },
    work: options.work ?? true,
    clock: options.clock ?? systemClock,
    logger,
  };
}

const trimmed = (url: string): string => url.replace(/\/+$/, "");
const pathOf = (url: string): string => new URL(url).pathname.replace(/\/+$/, "");

function randomSecret(logger: Logger): string {
  if (process.env["NODE_ENV"] === "production") {
    throw new TypeError(
      "[form-backend] option `secret`: required when NODE_ENV is production; set it to at least 32 random characters and keep it",
    );
  }
  if (!underTest()) {
    logger.warn("no `secret` is set, so one was made up: stored secrets and signed links end with this process");
  }
  return randomBytes(32).toString("hex");
}

/** Under a test runner the defaults that lose data on exit are what is wanted, so nobody is warned. */
export const underTest = (): boolean =>
  process.env["NODE_ENV"] === "test" || process.env["NODE_TEST_CONTEXT"] !== undefined;

/** What a host's `authenticate` must answer; anything else is the embedding developer's mistake. */
export const HostCaller = z.object({
  auth: z.literal("host"),
  id: z.string().min(1),
  team_ids: z.array(z.string()),
  scopes: z.union([z.literal("all"), z.array(Scope)]),
  form_ids: z.array(z.string()).nullable(),
});
