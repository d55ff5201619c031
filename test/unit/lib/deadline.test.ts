import { getEventListeners } from "node:events";
import { afterEach, describe, expect, it, vi } from "vitest";
import { deadline } from "../../../src/lib/deadline.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many signals a signal knows that depend on it; undefined where it knows of none. */
function dependants(signal: AbortSignal): unknown {
  const name = Object.getOwnPropertySymbols(signal).find(({ description }) => description === "kDependantSignals");
  return name && (Reflect.get(signal, name) as Set<unknown> | undefined)?.size;
}

describe("a deadline", () => {
  it("aborts when the time is up", () => {
    const limit = new AbortController();
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
      expect(ms).toBe(1_500);
      return limit.signal;
    });
    const call = deadline(1_500, undefined, new AbortController().signal);
    expect([call.signal.aborted, call.isLate()]).toEqual([false, false]);
    const reason = new DOMException("The operation timed out.", "TimeoutError");
    limit.abort(reason);
    expect([call.signal.aborted, call.isLate()]).toEqual([true, true]);
    expect(call.signal.reason).toBe(reason);
  });

  it("aborts with each outer signal and its reason, which is not late", () => {
    for (const at of [0, 1]) {
      const outer = [new AbortController(), new AbortController()];
      const call = deadline(60_000, ...outer.map(({ signal }) => signal));
      const reason = new Error(`the process ends ${at}`);
      outer[at]?.abort(reason);
      expect(call.signal.reason).toBe(reason);
      expect(call.isLate()).toBe(false);
      call.over();
    }
  });

  it("is over from the start where an outer signal is", () => {
    const reason = new Error("closed");
    const call = deadline(60_000, AbortSignal.abort(reason));
    expect(call.signal.aborted).toBe(true);
    expect(call.signal.reason).toBe(reason);
    call.over();
  });

  it("leaves nothing on a signal that lives as long as the process", () => {
    const lives = new AbortController();
    for (let n = 0; n < 100; n++) deadline(60_000, lives.signal).over();
    expect(getEventListeners(lives.signal, "abort")).toHaveLength(0);
    expect(dependants(lives.signal) ?? 0).toBe(0);
    lives.abort();
    // AbortSignal.any leaves one for each call, so the count above can be other than 0.
    const grows = new AbortController();
    const kept = Array.from({ length: 100 }, () => AbortSignal.any([grows.signal]));
    expect(kept).toHaveLength(100);
    expect(dependants(grows.signal)).toBe(100);
  });
});
