import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { BlobDriver } from "./drivers/blob/types.ts";
import type { MailerDriver } from "./drivers/mailer/types.ts";
import type { QueueDriver } from "./drivers/queue/types.ts";
import type { StorageDriver } from "./drivers/storage/types.ts";
import { type Files, type FilesOptions, resolveFiles } from "./files/options.ts";
import type { OAuthOptions } from "./keys/oauth.ts";
import { type Caller, Scope } from "./keys/schema.ts";
import { type Clock, systemClock } from "./lib/clock.ts";
import { parseMailbox } from "./lib/email.ts";
import { type RateLimitOptions, type Rates, resolveRates } from "./lib/rates.ts";
import { OptionsSchema } from "./options-schema.ts";
import type { CaptchaOptions, CountryOption, SpamOptions } from "./spam/options.ts";
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
  /** Names that visitors, receivers and holders of keys meet. */
  brand?: {
    /** In mails and the OpenAPI document. Default `Form Backend`. */
    name?: string;
    /** What API keys begin with. Default `fb_live_`. */
    keyPrefix?: string;
    /** The header of webhooks that carries the second signature. Default `X-Service-Signature`. */
    signatureHeader?: string;
    /** Of webhook requests. Default `FormBackend-Webhooks/1`. */
    userAgent?: string;
    /** Added to the user agent, for receivers who want to know more. */
    supportUrl?: string;
  };
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
  /** Where captcha services are asked. */
  captcha?: CaptchaOptions;
  /** Spam checks of your own. */
  spam?: SpamOptions;
  /** What visitors may upload. */
  files?: FilesOptions;
  /** Where webhooks may go, and how many at a time. */
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
  cors?: {
    /** Origins whose pages may call the management API from a browser. Default none. */
    management?: string[];
  };
  /** Runs workers in this process, which do not keep it alive by themselves. Default true. */
  work?: boolean;
  /** Where time comes from, for tests. Default: the machine's. */
  clock?: Clock;
  /** Default: info, warnings and errors to stderr. */
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

const stderr = (level: string) => (message: string) =>
  void process.stderr.write(`[form-backend] ${level}: ${message}\n`);
const defaultLogger: Logger = { debug: () => {}, info: stderr("info"), warn: stderr("warn"), error: stderr("error") };

/** Checks the host's options and fills in defaults. Throws a TypeError that names the option and what to change. */
export function resolveOptions(input: FormBackendOptions): Options {
  const parsed = OptionsSchema.safeParse(input);
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
