import { describe, expect, it } from "vitest";
import { createThrottle } from "../../../../src/features/jobs/throttle.ts";
import type { JobOutcome } from "../../../../src/model/outcome.ts";

const ok: JobOutcome = { status: "succeeded", code: "SUCCESS" };
const failed = (code = "ERROR_WEBHOOK_TIMEOUT"): JobOutcome => ({ status: "retry", code });

describe("throttle", () => {
  const paced = (most = 8) => {
    let now = 0;
    const throttle = createThrottle(most, () => now);
    return {
      throttle,
      note: (...outcomes: JobOutcome[]) => {
        for (const outcome of outcomes) throttle.note("a", outcome);
        return throttle.shareOf("a");
      },
      wait: (ms: number) => {
        now += ms;
      },
    };
  };
  const times = (n: number, outcome: JobOutcome) => Array.from({ length: n }, () => outcome);

  it("is the whole share until 5 failures in a row, 2 then, doubled by each success", () => {
    const { throttle, note } = paced();
    expect(note(...times(4, failed()))).toBe(8);
    expect(note(failed())).toBe(2);
    expect(note(...times(10, failed()))).toBe(2);
    expect([note(ok), note(ok), note(ok)]).toEqual([4, 8, 8]);
    expect(note(...times(4, failed()))).toBe(8);
    expect(throttle.shareOf("b")).toBe(8);
  });

  it("begins to count anew with each success, and with each answer below 500", () => {
    const { note } = paced();
    for (const between of [ok, failed("ERROR_WEBHOOK_HTTP_4XX"), failed("ERROR_WEBHOOK_HTTP_3XX")]) {
      expect(note(...times(4, failed()), between, ...times(4, failed()), between)).toBe(8);
    }
  });

  it("leaves the share as it is at an answer below 500", () => {
    const { note } = paced();
    note(...times(5, failed()));
    expect(note(...times(20, failed("ERROR_WEBHOOK_HTTP_4XX")))).toBe(2);
    expect(note(ok)).toBe(4);
    expect(note(...times(5, failed()))).toBe(2);
  });

  it.each([
    ["ERROR_WEBHOOK_TIMEOUT", 2],
    ["ERROR_WEBHOOK_CONNECTION", 2],
    ["ERROR_WEBHOOK_DNS", 2],
    ["ERROR_WEBHOOK_TLS", 2],
    ["ERROR_WEBHOOK_PROTOCOL", 2],
    ["ERROR_WEBHOOK_HTTP_5XX", 2],
    ["ERROR_WEBHOOK_HTTP_4XX", 8],
    ["ERROR_WEBHOOK_HTTP_3XX", 8],
    ["ERROR_WEBHOOK_BLOCKED_ADDRESS", 8],
    ["ERROR_WEBHOOK_INTERNAL", 8],
    ["ERROR_EMAIL_TIMEOUT", 2],
    ["ERROR_EMAIL_CONNECTION", 2],
    ["ERROR_EMAIL_SMTP_4XX", 8],
    ["ERROR_EMAIL_AUTH", 8],
  ])("5 × %s leaves a share of %i", (code, share) => {
    expect(paced().note(...times(5, failed(code)))).toBe(share);
  });

  it("gives a target of its own share that one, and back to it", () => {
    const throttle = createThrottle(8, () => 0, new Map([["shared", 16]]));
    const note = (n: number, outcome: JobOutcome) => {
      for (let at = 0; at < n; at++) throttle.note("shared", outcome);
      return throttle.shareOf("shared");
    };
    expect([throttle.shareOf("shared"), throttle.shareOf("other")]).toEqual([16, 8]);
    expect([note(5, failed("ERROR_EMAIL_TIMEOUT")), throttle.troubled()]).toEqual([2, ["shared"]]);
    expect([note(3, ok), throttle.troubled()]).toEqual([16, []]);
  });

  it("never gives more than the host allows", () => {
    for (const most of [1, 2, 3, 5]) {
      const { note } = paced(most);
      expect(note(...times(5, failed()))).toBe(Math.min(2, most));
      expect(note(ok, ok, ok)).toBe(most);
    }
  });

  it("names the targets in trouble, the latest last, and forgets those that were not tried for 10 minutes", () => {
    const { throttle, note, wait } = paced();
    expect(throttle.troubled()).toEqual([]);
    note(...times(4, failed()));
    expect(throttle.troubled(), "four failures are no trouble").toEqual([]);
    note(failed());
    for (const outcome of times(5, failed())) throttle.note("b", outcome);
    expect(throttle.troubled()).toEqual(["a", "b"]);
    wait(10 * 60 * 1000 - 1);
    expect([throttle.troubled(), throttle.shareOf("a")]).toEqual([["a", "b"], 2]);
    wait(1);
    expect([throttle.troubled(), throttle.shareOf("a")]).toEqual([[], 8]);
  });
});
