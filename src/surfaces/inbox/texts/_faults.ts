import { type ErrorCode, errors } from "../../../errors.ts";
import { type ReasonName, reasons } from "../../../features/spam/reasons.ts";

/** Codes that no page of the inbox names: they belong to posts of visitors and to credentials, or have a page of their own. */
const elsewhere = [
  "empty_submission",
  "missing_bearer",
  "invalid_key",
  "wrong_audience",
  "insufficient_scope",
  "cross_site_request",
  "form_inactive",
  "origin_not_allowed",
  "not_found",
  "form_not_found",
  "recipient_not_found",
  "webhook_not_found",
  "delivery_not_found",
  "submission_not_found",
  "idempotency_in_progress",
  "too_many_files",
  "file_type_not_allowed",
  "idempotency_mismatch",
  "validation_failed",
  "captcha_failed",
  "internal_error",
  "body_consumed",
] as const satisfies readonly ErrorCode[];
type ShownCode = Exclude<ErrorCode, (typeof elsewhere)[number]>;

type Said = { readonly [Code in ShownCode]: (typeof errors)[Code]["message"] };
type Reasons = { readonly [Name in ReasonName]: (typeof reasons)[Name][1] };

const valuesOf = <T>(entries: readonly (readonly [string, string])[]): T => Object.fromEntries(entries) as T;

/** What is refused, and why something is spam: the English words are those of the error table and of the checks. */
export default {
  fault: valuesOf<Said>(
    Object.entries(errors).flatMap(([code, { message }]) =>
      elsewhere.some((other) => other === code) ? [] : [[code, message] as const],
    ),
  ),
  reason: valuesOf<Reasons>(Object.entries(reasons).map(([name, [, words]]) => [name, words])),
  /** What is wrong with a value, as the checks of input word it. */
  wrong: {
    required: "is required",
    empty: "must not be empty",
    mostCharacters: "must have at most {count} characters",
    leastCharacters: "must have at least {count} characters",
    mostEntries: "must have at most {count} entries",
    leastEntries: "must have at least {count} entries",
    most: "must be at most {count}",
    least: "must be at least {count}",
    number: "must be a number",
    whole: "must be a whole number",
    email: "must be one email address, such as name@example.com",
    sender: "must be an address such as ann@example.com, or a domain such as @example.com",
    url: "must be an absolute http: or https: URL, or empty",
    origin: "must be an origin such as https://example.com",
    range: "must be an IP address, or a range such as 203.0.113.0/24",
    host: "must be a host name or an IP address, without a scheme or a port",
    port: "must be 25, 465, 587, or from 1024 to 65535",
    country: "must be the two capital letters of ISO 3166, such as DE",
    colour: "must be a color such as #2563eb or #fff",
    emoji: "must be one emoji",
    time: "must be a time such as 08:00",
    zone: "must be a time zone such as Europe/Berlin",
    key: "must begin with a to z and have at most 63 of a to z, digits and dashes",
    lines: "must not contain line breaks",
    complex: "is too complex a pattern; use smaller repeat counts",
    check: "is required for this check",
    missing: "is missing",
  },
  wrongly: {
    /** In another language than English: a message that has no words of its own there. */
    other: "{said} {english}",
  },
} as const;
