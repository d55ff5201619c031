import type { DeliveryCode } from "../model/codes.ts";

/** Result of one attempt, without its duration. */
export interface Outcome {
  /** True for a 2xx response. */
  ok: boolean;
  code: DeliveryCode;
  /** Present when a final status line arrived. */
  http_status?: number;
  /** Present when none arrived. */
  node_error_code?: string;
  /** The error, one line of at most 1,024 characters; empty for a success. */
  message: string;
  /** `Retry-After` of a 429 or 503 response, as sent. */
  retry_after?: string;
  /** The start of the response as text, if it has any; of a 2xx only if requested. */
  body?: string;
}

/** The result of one attempt and its duration, in ms. */
export interface Attempt extends Outcome {
  duration_ms: number;
}

export interface WebhookRequest {
  /** Default `POST`. */
  method?: "POST" | "PUT" | "PATCH";
  headers?: Record<string, string>;
  body: string | Uint8Array;
  /** True if the body of a 2xx is read as well, up to 16 KiB, because it may take the success back. Default false. */
  readsSuccess?: boolean;
}

export interface WebhookClient {
  /**
   * Sends one request and returns the outcome, within `timeoutMs`; never rejects. Aborting `signal` gives
   * `ERROR_WEBHOOK_INTERNAL`.
   */
  post(url: string, request: WebhookRequest, signal?: AbortSignal): Promise<Attempt>;
  /** Aborts running requests and closes idle connections; later posts return `ERROR_WEBHOOK_INTERNAL`. */
  close(): void;
}
