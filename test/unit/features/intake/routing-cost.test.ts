import { expect, it, vi } from "vitest";
import { CHECK_BUDGET } from "../../../../src/features/intake/values.ts";
import { harness } from "../../../_support/backend.ts";

/** The work of the pattern engine, and the turns of the event loop between conditions. */
const work = { total: 0, most: 0, compiled: 0 };
vi.mock("../../../../src/lib/pattern.ts", async (original) => {
  const real = await original<typeof import("../../../../src/lib/pattern.ts")>();
  return {
    ...real,
    async compilePattern(source: string) {
      work.compiled++;
      const pattern = await real.compilePattern(source);
      if ("error" in pattern) return pattern;
      return {
        ...pattern,
        test(text: string) {
          const cost = pattern.cost * text.length;
          work.total += cost;
          work.most = Math.max(work.most, cost);
          return pattern.test(text);
        },
      };
    },
  };
});

it("judges 50 rules of 20 conditions on 500 fields within the budget of a post, each in small steps", async () => {
  const b = harness({ rateLimit: false });
  const ann = "ann@example.com";
  const condition = (n: number) => ({
    field: `f${n % 500}`,
    ...(n % 4 === 0
      ? { type: "pattern" as const, value: `^[a-z]+( [a-z]+)*${n % 10}$` }
      : { type: "contains" as const, value: `needle ${n}` }),
  });
  const rules = Array.from({ length: 50 }, (_, rule) => ({
    if: { any: Array.from({ length: 20 }, (_, n) => condition(rule * 20 + n)) },
    to: { none: true as const },
  }));
  const { id } = await b.forms.create({
    name: "F",
    self_email_notification: { recipients: [ann] },
    settings: { routing: { rules } },
  });
  const body = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, "a".repeat(1_000)]));
  for (let post = 0; post < 3; post++) {
    work.total = 0;
    work.most = 0;
    const compiled = work.compiled;
    expect((await b.post(id, body)).status).toBe(200);
    // Rules are made ready once for a version of the form.
    if (post > 0) expect(work.compiled).toBe(compiled);
    expect(work.total).toBeGreaterThan(0);
    expect(work.total).toBeLessThanOrEqual(CHECK_BUDGET.submission);
    expect(work.most).toBeLessThanOrEqual(CHECK_BUDGET.pattern);
  }
  await b.tick();
  // What can't be found out within the budget is not met, and a post that no rule matches goes to everybody.
  expect(b.mails.map(({ to }) => to.address)).toEqual([ann, ann, ann]);
});
