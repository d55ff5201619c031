import { expect, it, vi } from "vitest";
import { harness } from "../../../_support/backend.ts";

/** Submissions that were judged since the last chance for other work, and the most at once. */
const steps = { judged: 0, since: 0, most: 0 };
vi.mock("../../../../src/lib/turn.ts", async (original) => {
  const real = await original<typeof import("../../../../src/lib/turn.ts")>();
  return {
    ...real,
    inSlices(key?: string) {
      const pause = real.inSlices(key);
      return () => {
        steps.most = Math.max(steps.most, steps.since);
        steps.since = 0;
        return pause();
      };
    },
  };
});
vi.mock("../../../../src/features/spam/content.ts", async (original) => {
  const real = await original<typeof import("../../../../src/features/spam/content.ts")>();
  return {
    ...real,
    textVerdicts(...args: Parameters<typeof real.textVerdicts>) {
      steps.judged++;
      steps.since++;
      return real.textVerdicts(...args);
    },
  };
});

it("judges 2,000 submissions one at a time, with room for other work after each", async () => {
  const b = harness({ rateLimit: false });
  const { id } = await b.forms.create({ name: "F" });
  async function* rows() {
    for (let n = 0; n < 2_000; n++) {
      yield {
        created_at: new Date(Date.parse("2025-01-01T00:00:00Z") + n * 1_000).toISOString(),
        fields: [{ key: "message", value: `Message ${n}, which is about something else` }],
        source_id: String(n),
      };
    }
  }
  await b.submissions.import(id, rows(), { source: "test" });
  Object.assign(steps, { judged: 0, since: 0, most: 0 });
  const result = await b.submissions.backtestSpam(id, { spam: { words: ["casino"] }, limit: 2_000 });
  expect(result.checked).toBe(2_000);
  expect(steps).toMatchObject({ judged: 2_000, since: 0, most: 1 });
});
