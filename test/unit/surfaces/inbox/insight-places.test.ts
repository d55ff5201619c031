import { describe, expect, it, vi } from "vitest";
import { memoryStorage, type StorageDriver } from "../../../../src/index.ts";
import { inboxHarness } from "./_inbox.ts";

/** Chances for other work since the last reset. */
const turns = { taken: 0 };
vi.mock("../../../../src/lib/turn.ts", async (original) => {
  const real = await original<typeof import("../../../../src/lib/turn.ts")>();
  return {
    ...real,
    inSlices(key?: string) {
      const pause = real.inSlices(key);
      return () => {
        turns.taken++;
        return pause();
      };
    },
  };
});

/** Places that were taken since the last reset. */
const places = { taken: 0 };
vi.mock("../../../../src/core/fairness/scans.ts", async (original) => {
  const real = await original<typeof import("../../../../src/core/fairness/scans.ts")>();
  return {
    ...real,
    takeScan(...args: Parameters<typeof real.takeScan>) {
      const release = real.takeScan(...args);
      places.taken++;
      return release;
    },
  };
});

const ROWS = 120;

/** A form with as many submissions in the inbox as in spam; reads of submissions wait while `shut`. */
async function busy() {
  const memory = memoryStorage();
  let gate: Promise<void> | null = null;
  let open = (): void => {};
  const wait = async (collection: string): Promise<void> => {
    if (collection !== "submissions" || !gate) return;
    await gate;
  };
  const storage: StorageDriver = {
    ...memory,
    page: (collection, query) => wait(collection).then(() => memory.page(collection, query)),
    count: (collection, query) => wait(collection).then(() => memory.count(collection, query)),
  };
  const backend = inboxHarness({}, { storage, rateLimit: false });
  const { id } = await backend.forms.create({ name: "Contact" });
  async function* rows() {
    for (let n = 0; n < ROWS * 2; n++) {
      yield {
        created_at: new Date(Date.parse("2025-01-01T00:00:00Z") + n * 1_000).toISOString(),
        fields: [{ key: "message", value: `Message ${n}` }],
        source_id: String(n),
        spam: n % 2 === 0,
      };
    }
  }
  await backend.submissions.import(id, rows(), { source: "test" });
  return {
    backend,
    ann: backend.as({}),
    at: `/f/${id}`,
    shut() {
      places.taken = 0;
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    open() {
      gate = null;
      open();
    },
    async waiting(n: number) {
      while (places.taken < n) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("pages that read many submissions", () => {
  it.each([
    ["the check-up", 8, "/stats/checkup", ["/stats/checkup", "/stats"]],
    ["spam without a check", 2, "/spam/backtest?without=links", ["/spam/backtest?without=phrases", "/spam/backtest"]],
    ["the trial of spam settings", 2, "/spam/backtest", ["/spam/backtest?without=links"]],
  ])("take a place, and say so where none is free: %s", async (_, most, path, others) => {
    const { ann, at, backend, shut, open, waiting } = await busy();
    shut();
    const running = Array.from({ length: most }, () => ann.get(`${at}${path}`));
    await waiting(most);
    for (const other of others) {
      const refused = await ann.get(`${at}${other}`);
      expect([refused.status, refused.headers.get("retry-after")], other).toEqual([429, "1"]);
      expect(refused.text).toContain("Wait a few seconds, and try again.");
    }

    if (most === 2)
      expect((await ann.post(`${at}/spam/backtest`, { "settings.spam.words": "casino" })).status).toBe(429);
    // Another person has places of their own.
    const bob = backend.as({ id: "bob", name: "Bob" }).get(`${at}${path}`);
    await waiting(most + 1);
    open();
    expect((await Promise.all([...running, bob])).map(({ status }) => status)).toEqual(Array(most + 1).fill(200));
    expect((await ann.get(`${at}${path}`)).status).toBe(200);
  });

  it.each([
    ["the check-up", ROWS, false, "/stats/checkup"],
    ["spam without a check", ROWS, false, "/spam/backtest?without=links"],
    ["the trial of spam settings", ROWS * 2, false, "/spam/backtest"],
    ["the trial of rules", ROWS, true, "/settings/validation/backtest"],
  ] as const)("let other work in after each of them: %s", async (_, rows, posts, path) => {
    const { ann, at } = await busy();
    const page = (await ann.get(`${at}/settings/validation`)).text;
    const named = (part: string) => new RegExp(`name="(validation\\.rules[^"]*${part}[^"]*)"`).exec(page)?.[1] ?? "";
    const rule = {
      "was.validation.rules": /name="was\.validation\.rules" value="([^"]*)"/.exec(page)?.[1] ?? "",
      [named("field")]: "message",
      [named("type")]: "email",
    };
    turns.taken = 0;
    const { status } = await (posts ? ann.post(`${at}${path}`, rule) : ann.get(`${at}${path}`));
    expect(status).toBe(200);
    expect(turns.taken).toBeGreaterThanOrEqual(rows);
  });
});
