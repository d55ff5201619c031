import type { BlobDriver } from "../../drivers/blob/types.ts";
import type { MailerDriver } from "../../drivers/mailer/types.ts";
import type { QueueDriver } from "../../drivers/queue/types.ts";
import type { StorageDriver } from "../../drivers/storage/types.ts";
import type { Clock } from "../../lib/clock.ts";
import type { DialectName } from "../../model/dialects.ts";
import type { Caller } from "../../model/keys.ts";
import type { Locale } from "../../texts/locales/_types.ts";
import type { EncryptionOptions } from "./encryption.ts";
import type { FilesOptions } from "./files.ts";
import type { FormCheck } from "./form-check.ts";
import type { HostWebhookOptions } from "./host-webhooks.ts";
import type { Inbound } from "./inbound.ts";
import type { Inbox } from "./inbox.ts";
import type { IntegrationsOptions } from "./integrations.ts";
import type { Logger } from "./logger.ts";
import type { Mcp } from "./mcp.ts";
import type { OAuthOptions } from "./oauth.ts";
import type { Plan } from "./plans.ts";
import type { RateLimitOptions } from "./rate-limit.ts";
import type { CaptchaOptions, CountryOption, SpamOptions } from "./spam.ts";

/** Options of `createFormBackend`; only `baseUrl` is required. */
export interface FormBackendOptions {
  /** The http(s) URL where the backend is mounted as seen from outside, including the path. Every public link begins with it. */
  baseUrl: string;
  /** The URL of the legacy API, if it differs. Default: `baseUrl`. */
  legacyBaseUrl?: string;
  /**
   * At least 32 characters; encrypts stored secrets and signs links and tokens. In a list, the first is used for new data, and the
   * others still decrypt and verify existing data. Required if NODE_ENV is production, at `ready()` or the first request,
   * and then with 6 different characters or more in the first.
   * Otherwise, with SQLite, a generated one is kept in a file next to the database.
   */
  secret?: string | readonly string[];
  /** Keys for the fields that a form encrypts (`settings.fields`). Without it, no form can encrypt fields. */
  encryption?: EncryptionOptions;
  /** The database. Default: memory, with a warning outside tests. */
  storage?: StorageDriver;
  /** Sends emails. Default: prints them to the log, with a warning in production. */
  mailer?: MailerDriver;
  /** Connects and logs in to the mail server at `ready()`, and logs an error if that fails. Default true. */
  verify?: boolean;
  /** Stores files. Default: a folder next to a SQLite file, otherwise memory, with an error in the log in production. */
  blob?: BlobDriver;
  /** Wakes workers when there is something to send. Default: only those of this process. */
  queue?: QueueDriver;
  /** The default sender, `Name <address>`. */
  from?: string;
  /**
   * The allowed domains of a form's sender address in the team `default`, unless its mail uses the team's own email server; a
   * subdomain is a separate domain. Default: the domain of `from`. With `[]`, forms can't choose an address. Other teams verify
   * domains of their own.
   */
  senderDomains?: string[];
  /** Notifies an address only after its owner has confirmed it with a link in an email. Default false. */
  confirmRecipients?: boolean;
  /** Your plans, in addition to the built-in `free` and `unlimited`. Members you leave out are as in `unlimited`. */
  plans?: Record<string, Partial<Plan>>;
  /** The plan of a team that you create. Default `unlimited`, which the team `default` of your own forms has in any case. */
  defaultPlan?: string;
  /**
   * Looks at a form whenever it is created or changed. One that answers `{ lock: true, reason }` locks the form; without `lock`, the
   * reason stands in `backend.abuse.list`. A check that throws finds nothing. With more than one team, a check of ours looks for
   * fields that ask for passwords, cards, PINs, seed phrases or one-time codes; `[]` turns it off.
   */
  formChecks?: FormCheck[];
  /** Reports by visitors. */
  abuse?: {
    /** Puts a link "Report this form" on the pages of forms. Default false. */
    report?: boolean;
  };
  /** Services whose URLs also work here, so that you only change the host name in your pages. Default: none. */
  dialects?: DialectName[];
  /** Languages in addition to English: default exports of `form-backend/locales/<tag>`, or your own. */
  locales?: Locale[];
  /** The language of emails to owners, if their form has none set; `en` or that of one of `locales`. Default `en`. */
  language?: string;
  /** Names that visitors, webhook receivers and API users see. */
  brand?: {
    /** The name in emails and the OpenAPI document. Default `Form Backend`. */
    name?: string;
    /** The prefix of API keys. Default `fb_live_`. */
    keyPrefix?: string;
    /** The webhook header with the second signature. Default `X-Service-Signature`. */
    signatureHeader?: string;
    /** The user agent of webhook requests. Default `FormBackend-Webhooks/1`, and with a `name` of your own `<name>-Webhooks/1`. */
    userAgent?: string;
    /** A URL that is added to the user agent, where receivers find out more. */
    supportUrl?: string;
  };
  /** Accepts access tokens from an authorization server in addition to API keys. */
  oauth?: OAuthOptions;
  /**
   * Returns the caller for the host's own session, or null. Called only if a request has no `Authorization` header.
   * Browsers also send cookies with requests that other websites cause, so requests that change something are refused
   * (`cross_site_request`) unless they come from a page of `baseUrl`'s origin or of an origin in `cors.management`.
   */
  authenticate?: (request: Request) => Caller | null | Promise<Caller | null>;
  /** Pages where people read and sort submissions: `inbox({ … })` of `form-backend/inbox`. Default: none. */
  inbox?: Inbox;
  /** An MCP server for agents: `mcp({ … })` of `form-backend/mcp`. Default: none. */
  mcp?: Mcp;
  /** Receives the mails that come back, from the mail services in `providers`: see `form-backend/inbound`. Default: none is seen. */
  inbound?: Inbound;
  /** Rate limits for each caller; `false` turns off all, null turns off one. Limits by IP address need a host that passes the address. */
  rateLimit?: false | RateLimitOptions;
  /** Trusts the addresses that a proxy forwards: `true`, a number of hops, or the proxies' CIDRs. Default false. */
  trustProxy?: boolean | number | string[];
  /** Uses the caller's `X-Request-Id` instead of a new id. Default false. */
  trustRequestId?: boolean;
  /** The source of a submission's country. Default: none, the country is unknown. */
  country?: CountryOption;
  /** The addresses and time limit of captcha services. */
  captcha?: CaptchaOptions;
  /** Your own spam checks. */
  spam?: SpamOptions;
  /** The files that visitors may upload. */
  files?: FilesOptions;
  /** The addresses that webhooks may use, and how many are sent at a time. */
  webhooks?: {
    /** Allows `http:` URLs too. Default false. */
    allowHttp?: boolean;
    /** Private networks that webhooks and teams' email servers may reach anyway, such as `10.1.0.0/16`. */
    allowCidrs?: string[];
    /** The time limit of one attempt, from the DNS lookup to the last byte, in ms. Default 15,000. */
    timeoutMs?: number;
    /** The number of attempts at a time in this process. Default 64. */
    concurrency?: number;
    /** The number of attempts at a time for one webhook. Default 8. */
    perWebhook?: number;
    /**
     * DNS over HTTPS that answers `application/dns-json`, used on Cloudflare Workers to refuse names with private addresses.
     * Default `https://cloudflare-dns.com/dns-query`.
     */
    dnsUrl?: string;
  };
  /**
   * Webhooks of your own, told of teams, forms, keys, full months, webhooks that were turned off, bounces and reports of abuse: durable,
   * retried for 72 hours, and signed as Standard Webhooks. All processes need the same ones. Default: none.
   */
  hostWebhooks?: HostWebhookOptions[];
  /** The services that destinations write to: their addresses, and Google's key for all webhooks. */
  integrations?: IntegrationsOptions;
  /** Access from browsers on other origins. */
  cors?: {
    /** Origins whose pages may call the management API from a browser, also with the session of `authenticate`. Default none. */
    management?: string[];
  };
  /**
   * Runs workers in this process. They do not keep the process alive. Default true. With `"on-request"`, for hosts that freeze or
   * end the process between requests, there are no timers and no listeners: what is due runs in `waitUntil` after each request that
   * has one, and in `tick()`; `sweep()` is yours to call. With `false`, nothing runs except in `tick()`.
   */
  work?: boolean | "on-request";
  /** Attributes of the spans and metrics of OpenTelemetry. */
  telemetry?: {
    /** Adds the attribute `team_id`. Each team then has time series of its own. Default false. */
    teams?: boolean;
  };
  /** The source of time, for tests. Default: the machine's clock. */
  clock?: Clock;
  /** Receives each log line as a sentence plus fields for structured logs: `console`, pino, winston. Default: info, warnings and errors to stderr. */
  logger?: Logger;
}
