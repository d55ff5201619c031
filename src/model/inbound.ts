/** A file of a mail. */
export interface InboundFile {
  readonly name: string;
  readonly mime_type: string;
  readonly content: Uint8Array;
}

/** A mail that came in, as every provider gives it. All of it is the sender's, and nothing of it is checked. */
export interface InboundMail {
  /** Without angle brackets; null where it has none. */
  readonly messageId: string | null;
  readonly from: string;
  /** Every address that it was sent to, those that no header names among them. */
  readonly recipients: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly subject: string;
  readonly text: string;
  /** Used where there is no text. */
  readonly html: string;
  /** Message-IDs that it answers, the nearest first. */
  readonly answers: readonly string[];
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly files: readonly InboundFile[];
  /** The envelope's sender; undefined where the provider does not say, "" for a notice of a mail server. */
  readonly returnPath?: string | undefined;
  /** `pass`, `fail` or another verdict of the provider. */
  readonly dmarc?: string | undefined;
}

/** A mail of ours that did not arrive, or that its recipient called spam. */
export interface Bounce {
  /** `soft`: it may arrive another time. */
  readonly kind: "hard" | "soft" | "complaint";
  readonly email: string;
  /** The id that the mailer answered, or our Message-ID. */
  readonly ids: readonly string[];
  readonly reason: string;
}

/** What a provider's request brings. */
export type Received =
  /** The status of the refusal: nothing is stored. */
  | { readonly is: "forged"; readonly status: 401 | 403 | 406 }
  /** A request that is genuine and can't be read, with the status at which the provider does not repeat it. */
  | { readonly is: "unreadable"; readonly status: number; readonly reason: string }
  | { readonly is: "nothing" }
  | { readonly is: "mail"; readonly mail: InboundMail; readonly event: string | null }
  | { readonly is: "bounces"; readonly bounces: readonly Bounce[]; readonly event: string | null };

/** A request to `/inbound/<name>`. */
export interface InboundRequest {
  readonly headers: Headers;
  readonly url: URL;
  readonly body: Uint8Array;
  /** Epoch ms. */
  readonly now: number;
}

/** The largest mail, in bytes. Its text in JSON, with files in base64, is a third larger. */
export const MAX_MAIL_BYTES = 25 * 1024 * 1024;
