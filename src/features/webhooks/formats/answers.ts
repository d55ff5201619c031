import type { Answer, Verdict } from "./types.ts";

/** Statuses of a service that end a delivery. 410 is `gone` for all. */
export interface Endings {
  readonly gone?: readonly number[];
  readonly failed?: readonly number[];
}

/** A body that is refused once is refused again: it is malformed (400) or too large (413). */
export const REFUSED: readonly number[] = [400, 413];

/** The verdict by status alone. Statuses that end nothing are retried. */
export function byStatus({ status, retryAfter }: Answer, { gone = [], failed = [] }: Endings = {}): Verdict {
  if (status >= 200 && status < 300) return { end: "delivered" };
  if (status === 410 || gone.includes(status)) return { end: "gone" };
  if (failed.includes(status)) return { end: "failed" };
  return { end: "retry", retryAfter };
}

/** The members of a JSON object; none if the text is anything else. */
export function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** A wait in seconds, fractions included, as a `Retry-After` header has it; undefined for anything but a number. */
export const seconds = (wait: unknown): string | undefined =>
  typeof wait === "number" && wait >= 0 && wait <= 1e9 ? String(Math.ceil(wait)) : undefined;
