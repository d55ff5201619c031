import { z } from "zod";
import type { SpamCheck } from "./check.ts";

/** The captcha services that are asked over the network. */
const remoteProviders = ["recaptcha", "hcaptcha", "turnstile", "friendly_captcha"] as const;
export type RemoteProvider = (typeof remoteProviders)[number];

/** Where captcha services are asked, for tests and proxies. */
export interface CaptchaOptions {
  /** The verification URL of a provider in place of its own. */
  verifyUrl?: Partial<Record<RemoteProvider, string>>;
  /** After this time a provider counts as unreachable, in ms. Default 5,000. */
  timeoutMs?: number;
}

export interface SpamOptions {
  /** Asked after the built-in content checks, about submissions that those let through. */
  checks?: SpamCheck[];
}

/** The name of a header that a proxy sets, or a look-up; anything but a two-letter code is taken for null. */
export type CountryOption = string | ((ip: string | null, headers: Headers) => string | null | Promise<string | null>);

const Endpoint = z.url({ protocol: /^https?$/, error: "must be an http(s) URL" });

export const CaptchaSchema = z.strictObject({
  verifyUrl: z.strictObject(Object.fromEntries(remoteProviders.map((name) => [name, Endpoint.optional()]))).optional(),
  timeoutMs: z.number().int().min(1).max(60_000).optional(),
});

const aFunction = (value: unknown): boolean => typeof value === "function";

export const SpamSchema = z.strictObject({
  checks: z.array(z.custom<SpamCheck>(aFunction, "must be a function")).optional(),
});

export const CountrySchema = z.union(
  [z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/), z.custom<CountryOption>(aFunction)],
  "must be a header name or a function",
);
