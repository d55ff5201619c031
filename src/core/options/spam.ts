import { z } from "zod";
import type { SpamCheck, SpamJudge } from "../../model/spam-check.ts";

/** The captcha services that need a network request. */
export type RemoteProvider = "recaptcha" | "hcaptcha" | "turnstile" | "friendly_captcha";

/** URLs of captcha services, for tests and proxies. */
export interface CaptchaOptions {
  /** Replaces the verification URL of a provider. */
  verifyUrl?: Partial<Record<RemoteProvider, string>>;
  /** After this time a provider counts as unreachable, in ms. Default 5,000. */
  timeoutMs?: number;
}

export interface SpamOptions {
  /** Run after the built-in content checks, on submissions that pass those. */
  checks?: SpamCheck[];
  /**
   * A model of your own, asked about submissions that no check called spam and no list allowed. An error, an answer that is late and
   * a spent budget count as no opinion. Default none.
   */
  judge?: SpamJudge;
  /** The time for an answer of `judge`, in ms. Default 3,000. */
  judgeTimeoutMs?: number;
  /** The most questions to `judge` a minute in this process; a back-test has as many again. Default 30. */
  judgePerMinute?: number;
}

/** The name of a header that a proxy sets, or a look-up; anything but a two-letter code is taken for null. */
export type CountryOption = string | ((ip: string | null, headers: Headers) => string | null | Promise<string | null>);

const Endpoint = z.url({ protocol: /^https?$/, error: "must be an http(s) URL" });

export const CaptchaSchema = z.strictObject({
  verifyUrl: z
    .strictObject({
      recaptcha: Endpoint.optional(),
      hcaptcha: Endpoint.optional(),
      turnstile: Endpoint.optional(),
      friendly_captcha: Endpoint.optional(),
    } satisfies Record<RemoteProvider, z.ZodType>)
    .default({}),
  timeoutMs: z.number().int().min(1).max(60_000).default(5_000),
});

const aFunction = (value: unknown): boolean => typeof value === "function";

export const SpamSchema = z.strictObject({
  checks: z.array(z.custom<SpamCheck>(aFunction, "must be a function")).default([]),
  judge: z.custom<SpamJudge>(aFunction, "must be a function").optional(),
  judgeTimeoutMs: z.number().int().min(1).max(60_000).default(3_000),
  judgePerMinute: z.number().int().min(0).max(1_000_000).default(30),
});

export const CountrySchema = z.union(
  [z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/), z.custom<CountryOption>(aFunction)],
  "must be a header name or a function",
);
