import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { largestOf } from "../../../../src/features/submissions/largest.ts";
import { memoryStorage } from "../../../../src/index.ts";
import { submitted } from "./_submissions.ts";

/** The number of turns that the rest of the process had meanwhile. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const look = (): void => {
    turns++;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  return turns;
}

const sorted = (all: Iterable<{ key: string; count: number }>) =>
  [...all].sort((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));

describe("the largest of many", () => {
  it("are those that sorting finds", async () => {
    const one = fc.record({ key: fc.string({ maxLength: 3 }), count: fc.integer({ min: 0, max: 4 }) });
    const all = fc.uniqueArray(one, { selector: ({ key }) => key, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(all, fc.integer({ min: 1, max: 20 }), async (list, most) => {
        expect(await largestOf(list, most)).toEqual(sorted(list).slice(0, most));
      }),
    );
  });

  it("are found in many turns", async () => {
    const many = Array.from({ length: 400_000 }, (_, i) => ({ key: ((i * 7_919) % 400_009).toString(36), count: 1 }));
    expect(await turnsDuring(() => largestOf(many, 200))).toBeGreaterThan(2);
  });
});

describe("names of fields that visitors made up", () => {
  const flooded = async (posts: number, more: (at: number) => string[]) => {
    const storage = memoryStorage();
    const b = await submitted({ storage });
    const created = Date.UTC(2026, 0, 1);
    let made = 0;
    for (let at = 0; at < posts; at++) {
      const keys = [...more(at), ...Array.from({ length: 490 }, () => `n${(made++ * 7_919) % 1_000_003}`)];
      const value = {
        form_id: b.id,
        team_id: "default",
        created_at: new Date(created - at).toISOString(),
        updated_at: new Date(created).toISOString(),
        spam: false,
        fields: keys.map((key) => ({ key, value: "1" })),
      };
      const id = `s${String(posts - at).padStart(5, "0")}`;
      await storage.commit([{ op: "put", collection: "submissions", id, value }]);
    }
    return b;
  };

  it("do not hide those of the form, which came before them", async () => {
    const b = await flooded(250, (at) => (at < 120 ? [] : ["email", "message"]));
    const { data, submissions_read } = await b.forms.fields(b.id);
    expect(submissions_read).toBe(250);
    expect(data).toHaveLength(200);
    expect(data.slice(0, 2)).toMatchObject([
      { name: "email", count: 130 },
      { name: "message", count: 130 },
    ]);
  });

  it("are neither sorted nor kept all at once", async () => {
    const b = await flooded(150, () => []);
    const sort = vi.spyOn(Array.prototype, "sort");
    try {
      expect((await b.forms.fields(b.id)).data).toHaveLength(200);
      expect(Math.max(0, ...sort.mock.contexts.map((list) => (list as unknown[]).length))).toBeLessThan(1_000);
    } finally {
      sort.mockRestore();
    }
  });
});
