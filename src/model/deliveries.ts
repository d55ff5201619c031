import { emailKindOf } from "./emails.ts";
import type { JobRecord } from "./jobs.ts";

/** Mails caused by submissions, and webhooks; mails in the service's own name are not shown to the team. */
export const isShown = (job: JobRecord): boolean => job.kind === "webhook" || emailKindOf(job) !== null;

/** A mail or a webhook of a form, as its team sees it in the log. */
export interface LoggedDelivery {
  readonly id: string;
  readonly value: JobRecord;
}

/** A page of the log of a form. */
export interface LogPage {
  readonly rows: readonly LoggedDelivery[];
  /** The start of the next page, by the parameter of the log; null at the end. */
  readonly older: Readonly<Record<string, string>> | null;
}

/** A delivery that did not work: given up, or being tried again. */
export type Trouble = "failed" | "retrying";

/** The fields of a delivery that failed, compared with those of deliveries that succeeded. */
export interface Difference {
  /** The deliveries that it was compared with. */
  readonly of: number;
  /** Fields that nearly all of them had, and this one does not. */
  readonly missing: readonly string[];
  /** Fields that this one has, and none of them had. */
  readonly added: readonly string[];
}

/** A request as a webhook's receiver gets it. */
export interface DeliveryRequest {
  readonly method: "POST" | "PUT" | "PATCH";
  /** Masked if anyone who knows it can post. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request as a command for a shell. */
export function asCurl({ method, url, headers, body }: DeliveryRequest): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return [`curl -X ${method} ${quoted(url)}`, ...parts, `--data-raw ${quoted(body)}`].join(" \\\n  ");
}
