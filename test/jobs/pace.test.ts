import { describe, expect, it } from "vitest";
import type { JobOutcome } from "../../src/jobs/outcome.ts";
import { createPace } from "../../src/jobs/pace.ts";

const ok: JobOutcome = { status: "succeeded", code: "SUCCESS" };
const failed = (code = "ERROR_WEBHOOK_TIMEOUT"): JobOutcome => ({ status: "retry", code });

describe("pace", () => {
  const paced = (most = 8) => {
    let now = 0;
    const pace = createPace(most, () => now);
    return {
      pace,
      note: (...outcomes: JobOutcome[]) => {
        for (const outcome of outcomes) pace.note("a", outcome);
        return pace.shareOf("a");
      },
      wait: (ms: number) => {
        now += ms;
      },
    };
  };
  const times = (n: number, outcome: JobOutcome) => Array.from({ length: n }, () => outcome);

  it("is the whole share until 5 failures in a row, 2 then, doubled by each success", () => {
    const { pace, note } = paced();
    expect(note(...times(4, failed()))).toBe(8);
    expect(note(failed())).toBe(2);
    expect(note(...times(10, failed()))).toBe(2);
    expect([note(ok), note(ok), note(ok)]).toEqual([4, 8, 8]);
    expect(note(...times(4, failed()))).toBe(8);
    expect(pace.shareOf("b")).toBe(8);
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
    ["ERROR_EMAIL_TIMEOUT", 8],
  ])("5 × %s leaves a share of %i", (code, share) => {
    expect(paced().note(...times(5, failed(code)))).toBe(share);
  });

  it("never gives more than the host allows", () => {
    for (const most of [1, 2, 3, 5]) {
      const { pace, note } = paced(most);
      expect(note(...times(5, failed()))).toBe(Math.min(2, most));
      expect(pace.perClaim()).toBeLessThanOrEqual(pace.shareOf("a"));
      expect(note(ok, ok, ok)).toBe(most);
      expect(pace.perClaim()).toBe(Math.ceil(most / 2));
    }
  });

  it("gives everybody less per claim only while somebody is in trouble, and forgets who was not tried for 10 minutes", () => {
    const { pace, note, wait } = paced();
    expect(pace.perClaim()).toBe(4);
    note(...times(5, failed()));
    expect(pace.perClaim()).toBe(2);
    wait(10 * 60 * 1000 - 1);
    expect([pace.perClaim(), pace.shareOf("a")]).toEqual([2, 2]);
    wait(1);
    expect([pace.perClaim(), pace.shareOf("a")]).toEqual([4, 8]);
  });
});
