import { describe, expect, it } from "vitest";
import { limitFailures } from "../../../../src/core/http/limits.ts";
import type { Exchange } from "../../../../src/core/http/route.ts";
import { type RateLimitOptions, resolveRates } from "../../../../src/core/options/rate-limit.ts";
import { createLimits } from "../../../../src/core/rates/rate-limit.ts";
import type { RateCounter } from "../../../../src/core/rates/rates.ts";
import { ApiError } from "../../../../src/errors.ts";
import { systemClock } from "../../../../src/lib/clock.ts";

function limited(options: RateLimitOptions) {
  const time = { now: 1_000_000 };
  const warnings: string[] = [];
  const limits = createLimits({
    ...resolveRates(options),
    clock: { ...systemClock, now: () => time.now },
    warn: (message) => void warnings.push(message),
  });
  return { limits, time, warnings };
}

const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: unknown) => (error as ApiError).code,
  );

describe("a store of counts that fails", () => {
  it("is left alone for 5 s, in which this process counts by itself", async () => {
    let asked = 0;
    const broken: RateCounter = {
      async consume() {
        asked++;
        throw new Error("gone");
      },
    };
    const { limits, time, warnings } = limited({ perIp: { points: 2, seconds: 60 }, store: () => broken });
    const take = () => codeOf(limits.take("perIp", "198.51.100.7"));
    expect([await take(), await take(), await take(), asked]).toEqual([null, null, "rate_limited", 1]);
    time.now += 4_999;
    await take();
    expect(asked).toBe(1);
    time.now += 1;
    await take();
    expect([asked, warnings.length]).toEqual([2, 1]);
  });
});

describe("a failed credential", () => {
  it("counts for its address; what failed for another reason does not", async () => {
    const { limits } = limited({ failedAuth: { points: 3, seconds: 60 } });
    const core = { limits, options: { trustProxy: false } };
    const request = new Request("http://localhost/");
    const exchange = { core, request, info: { ip: "198.51.100.7" } } as unknown as Exchange;
    const fail = (code: "invalid_key" | "unavailable" | "wrong_audience") =>
      codeOf(limitFailures(exchange, () => Promise.reject(new ApiError(code))));
    for (let i = 0; i < 5; i++) expect(await fail("unavailable")).toBe("unavailable");
    for (let i = 0; i < 3; i++) expect(await fail("invalid_key")).toBe("invalid_key");
    expect(await fail("invalid_key")).toBe("rate_limited");
    expect(await codeOf(limitFailures(exchange, async () => "a caller"))).toBe("rate_limited");
  });
});
