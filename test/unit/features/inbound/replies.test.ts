import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { withoutQuotes } from "../../../../src/features/inbound/quotes.ts";
import type { MessageRecord } from "../../../../src/model/messages.ts";
import { message, world } from "../../../_support/inbound-world.ts";
import { clients, languages, type Reply, replies } from "../../../_support/replies/clients.ts";

const all = replies();
const found = async (some: readonly Reply[]): Promise<Reply[]> => {
  const hits: Reply[] = [];
  for (const reply of some) if ((await withoutQuotes(reply.whole)) === reply.fresh) hits.push(reply);
  return hits;
};

describe("replies of mail clients", () => {
  it("are more than 500, of four clients in six languages", () => {
    expect(all.length).toBeGreaterThan(500);
    for (const { name } of clients)
      expect(new Set(all.filter(({ client }) => client === name).map(({ language }) => language)).size).toBe(
        languages.length,
      );
  });

  it.each(clients)("of $name have their new text found in 95 of 100", async ({ name }) => {
    const some = all.filter(({ client }) => client === name);
    const hits = await found(some);
    expect(hits.length / some.length).toBeGreaterThanOrEqual(0.95);
  });

  it("lose no word of their new text, wherever the quote is not found", async () => {
    for (const { whole, fresh } of all) expect(await withoutQuotes(whole)).toContain(fresh);
  });

  it("keep a text that only looks like one with a quote", async () => {
    for (const text of [
      "I quote your page from 2026:\n\nWe open at 9:00.",
      "At 9:00:\n\nis that right?",
      "--- my list ---\none\ntwo",
      "> only a quote\n> of ours",
      "Sent it on Monday.\n\nSent the second one on Tuesday, at 9:00, and nobody has answered since; what shall I do now?",
    ])
      expect(await withoutQuotes(text)).toBe(text);
  });

  it("are stored with their whole text beside the new one", async () => {
    const storage = memoryStorage();
    const w = await world({ storage });
    const some = all.filter((_, at) => at % 37 === 0);
    for (const [at, { whole }] of some.entries())
      await w.raw(message(w.reply, { id: `${at}@example.com`, text: whole }));
    const rows = await storage.page("messages", {
      index: "submission",
      equals: { submission_id: w.submission.id },
      order: "asc",
      limit: 100,
    });
    const stored = rows
      .map(({ value }) => value as unknown as MessageRecord)
      .filter(({ direction }) => direction === "in");
    expect(stored).toHaveLength(some.length);
    for (const { whole } of some) {
      const squeezed = whole.replace(/\s+/g, " ").trim();
      expect(
        stored.map((one) => one.whole?.replace(/\s+/g, " ").trim() ?? one.text.replace(/\s+/g, " ").trim()),
      ).toContain(squeezed);
    }
  });
});
