import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { inboxHarness } from "./_inbox.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<tr data-submission-id="(\w+)"/g)].map(([, id = ""]) => id);
const linkIn = (text: string, says: string): string =>
  new RegExp(`href="([^"]+)"[^>]*>(?:<svg.*?</svg>)?${says}`).exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";

/** A store in which a search takes `perDay` ms for each day that it looks back. */
async function slowStore(perDay: number) {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  const storage = memoryStorage();
  let slow = false;
  let searches = 0;
  const backend = inboxHarness(
    {},
    {
      clock,
      rateLimit: false,
      storage: {
        ...storage,
        async page(collection, query) {
          if (slow && query.where?.some((one) => "field" in one)) {
            searches++;
            const at = (op: string): number | undefined => {
              const bound = query.where?.find((one) => "column" in one && one.op === op);
              return bound && Date.parse(String(bound.value));
            };
            const start = Math.max(at("gte") ?? 0, Date.parse("2026-01-01T00:00:00.000Z"));
            const back = Math.max(0, Math.min(clock.now(), at("lt") ?? clock.now()) - start);
            clock.set(clock.now() + Math.round((back / DAY) * perDay));
          }
          return storage.page(collection, query);
        },
      },
    },
  );
  const { id } = await backend.forms.create({ name: "Contact" });
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) {
    ids.unshift((await backend.submit(id, { fields: { text: i % 10 === 0 ? "rare" : "usual" } })).id);
    await backend.clock.advance(DAY);
  }
  slow = true;
  return { ann: backend.as({}), at: `/f/${id}`, ids, clock, searches: () => searches };
}

describe("a search in values", () => {
  it("over very many stops in time, says how far back it got, and goes on from there to the end", async () => {
    const { ann, at, ids, searches } = await slowStore(400);
    const found: string[] = [];
    let { text } = await ann.get(`${at}?q=rare`);
    expect(text).toContain("Searched back to");
    expect(searches()).toBeLessThan(8);
    for (let step = 0; step < 12; step++) {
      found.push(...rowsOf(text));
      const next = linkIn(text, "Search further back");
      if (next === "") break;
      expect(next).toContain("q=rare");
      ({ text } = await ann.get(next));
    }
    expect(found).toEqual([ids[9], ids[19], ids[29], ids[39]]);
    expect(text).not.toContain("Searched back to");
  });

  it.each([60, 90, 110, 125, 180, 400])("takes five seconds at most in all, at %d ms for each day", async (perDay) => {
    const { ann, at, clock } = await slowStore(perDay);
    const began = clock.now();
    await ann.get(`${at}?q=nothing-like-this`);
    expect(clock.now() - began).toBeLessThanOrEqual(5_000);
  });

  it("reads all at once where that is quick", async () => {
    const { ann, at, ids } = await slowStore(0);
    const { text } = await ann.get(`${at}?q=rare`);
    expect(rowsOf(text)).toEqual([ids[9], ids[19], ids[29], ids[39]]);
    expect(text).not.toContain("Searched back to");
    expect((await ann.get(`${at}?q=nothing-like-this`)).text).toContain("Nothing matches");
  });

  it("pages through what it found, and says at its end how far back that was", async () => {
    const { ann, at, ids } = await slowStore(60);
    const pages: string[][] = [];
    let { text } = await ann.get(`${at}?q=usual&limit=5`);
    for (let step = 0; step < 20; step++) {
      pages.push(rowsOf(text));
      const next = linkIn(text, "Older") || linkIn(text, "Search further back");
      if (next === "") break;
      ({ text } = await ann.get(next));
    }
    expect(pages.flat()).toEqual(ids.filter((_, i) => i % 10 !== 9));
  });

  it("stays within the range that somebody asked for", async () => {
    const { ann, at, ids } = await slowStore(0);
    const { text } = await ann.get(`${at}?q=rare&created_after=2026-01-15&created_before=2026-01-31`);
    expect(rowsOf(text)).toEqual([ids[19]]);
  });
});
