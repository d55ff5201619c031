import type { Integrations } from "../../../core/options/integrations.ts";
import type { DestinationConfig } from "../../../model/destinations.ts";
import type { Message } from "../../../model/messages.ts";
import type { Submission } from "../../../model/submissions.ts";
import type { PlainFormat, WebhookFormat } from "../../../model/webhooks.ts";

/** The event, as every format gets it. A visitor chose the names and values of fields, and the names of files. */
export interface FormatEvent {
  /** `submission.created`, `submission.updated`, `message.received` or `submission.test`. */
  readonly type: string;
  /** Of `submission.updated`: the members that changed. */
  readonly changed?: readonly string[];
  /** The time of a change. */
  readonly at?: string;
  readonly form: { readonly id: string; readonly name: string };
  readonly submission: Omit<Submission, "read">;
  /** Of `message.received`: the mail that came in. */
  readonly message?: Message;
}

/** A receiver's response. */
export interface Answer {
  readonly status: number;
  /** Its first 16 KiB as text; empty after a 2xx unless the format sets `readsSuccess`. */
  readonly body: string;
  /** `Retry-After` of a 429 or 503, as sent. */
  readonly retryAfter?: string | undefined;
}

/**
 * The meaning of a response. `failed`: the same body would fail again. `gone`: the receiver will never accept another request.
 * `status` and `message` replace those of the response if its body says otherwise.
 */
export interface Verdict {
  readonly end: "delivered" | "retry" | "failed" | "gone";
  readonly status?: number;
  /** Seconds or an HTTP date, as a `Retry-After` header has it. */
  readonly retryAfter?: string | undefined;
  readonly message?: string;
}

/** The facts of a format that hold without the settings of a webhook. */
export interface FormatFacts {
  /** The service as its users call it. */
  readonly service: string;
  /** A URL as the service gives it out, for errors and documentation; null where any URL will do. */
  readonly example: string | null;
  /** True if the path (and for Telegram `chat_id`) is one of this service. Its host may be a proxy's or the tenant's own. */
  readonly check: (url: URL) => boolean;
  /** True if anyone who knows the URL can post: it is sealed at rest and masked in responses. */
  readonly secret: boolean;
  /** True if requests carry the signature headers. */
  readonly signed: boolean;
  /**
   * For a service whose API has one address for all: reads the address of a table as people see it, to which nothing is sent. Null
   * where the caller gives no URL.
   */
  readonly place?: ((sent: string) => Place) | null;
}

/** An address as it is stored, or what is wrong with it: a sentence. */
export type Place = { readonly url: string } | { readonly fault: string };

/** The format of one webhook's requests. */
export interface RequestFormat extends FormatFacts {
  readonly name: WebhookFormat;
  /** Default `POST`. */
  readonly method?: "POST" | "PUT" | "PATCH";
  /** The target of the request; default the URL itself. */
  readonly address?: (url: URL) => string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request's body, within the service's limits for any submission. */
  readonly body: (event: FormatEvent, url: URL) => string | Promise<string>;
  /** True where a 2xx is not yet a success, so that its body has to be read. */
  readonly readsSuccess?: boolean;
  readonly classify: (answer: Answer) => Verdict;
}

/** The format of one service, the same for all webhooks. Everything here is pure. */
export interface Format extends RequestFormat {
  readonly name: PlainFormat;
  readonly body: (event: FormatEvent, url: URL) => string;
}

/** A destination's settings as stored, sealed: its format alone knows their shape. */
export type Config = Readonly<Record<string, unknown>>;

/** The settings of a webhook, of a format that has some. */
export interface Settings {
  /** The settings with their defaults. Throws `invalid_parameter` with the path of the fault. */
  readonly complete: (config: Config, options: SettingsOptions) => Config;
  /** The settings for answers, without secrets. */
  readonly shown: (config: Config) => DestinationConfig;
  /** The address that answers show where the caller gives none, of complete settings. */
  readonly address?: (config: Config, integrations: Integrations) => string;
}

/** Options of the host that settings depend on. */
export interface SettingsOptions {
  readonly brand: { readonly signatureHeader: string };
  readonly integrations: Integrations;
}

/** A format that sends one request for each delivery. */
export interface Destination extends Settings {
  /** The format of a webhook's requests, of complete settings. */
  readonly format: (config: Config) => RequestFormat;
}
