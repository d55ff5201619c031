import { setImmediate } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { StorageDriver } from "../../../../src/drivers/storage/types.ts";
import { createBackend } from "../../../../src/surfaces/form-backend.ts";
import { testClock } from "../../../../src/surfaces/testing/clock.ts";
import { harness } from "../../../_support/backend.ts";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const SECRET = "a secret for tests that is long enough";

/** A view of a store as one process sees it: counts the walks over all forms, and stalls or fails them on demand. */
function seenBy(store: StorageDriver) {
  const seen = { walks: 0, stalled: false };
  const storage: StorageDriver = {
    ...store,
    close: async () => {},
    async page(collection, query) {
      if (collection === "forms" && query.index === "all") {
        seen.walks++;
        if (seen.stalled) await new Promise(() => {});
      }
      return store.page(collection, query);
    },
  };
  return { seen, storage };
}

/** Turns of the event loop, in which everything that does not stall comes to its end. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 300; turn++) await setImmediate();
}

async function twoProcesses() {
  const clock = testClock(Date.now());
  const store = memoryStorage();
  const [one, two] = [seenBy(store), seenBy(store)];
  for (const { storage } of [one, two]) {
    const logger = { debug() {}, info() {}, warn() {}, error() {} };
    const backend = createBackend({ clock, storage, logger, baseUrl: "http://localhost/forms", secret: SECRET });
    await backend.ready();
    onTestFinished(() => backend.close({ graceMs: 1 }));
  }
  const advance = async (ms: number): Promise<void> => {
    clock.set(clock.now() + ms);
    await settled();
  };
  return { one: one.seen, two: two.seen, advance };
}

describe("the hourly sweep", () => {
  it("runs once an hour, in one of the processes that share a store", async () => {
    const { one, two, advance } = await twoProcesses();
    for (let hour = 1; hour <= 3; hour++) {
      await advance(HOUR);
      await advance(60_000);
      expect(one.walks + two.walks, `hour ${hour}`).toBe(hour);
    }
  });

  it("is taken over within minutes where its process dies in the midst", async () => {
    const { one, two, advance } = await twoProcesses();
    one.stalled = true;
    two.stalled = true;
    await advance(HOUR);
    expect(one.walks + two.walks).toBe(1);
    one.stalled = false;
    two.stalled = false;
    await advance(4 * 60_000);
    expect(one.walks + two.walks).toBe(1);
    await advance(3 * 60_000);
    expect(one.walks + two.walks).toBe(2);
  });

  it("asks 3,000 forms in one statement for 200, and removes what has expired of each", async () => {
    const store = memoryStorage();
    let statements = 0;
    const counting: StorageDriver = {
      ...store,
      async page(collection, query) {
        if (collection === "submissions") statements++;
        return store.page(collection, query);
      },
      async haveBefore(collection, { index, runs }) {
        statements++;
        const found: number[] = [];
        for (const [i, { equals, before }] of runs.entries()) {
          const where = [{ column: "created_at", op: "lt", value: before } as const];
          if ((await store.page(collection, { index, equals, where, order: "asc", limit: 1 })).length > 0)
            found.push(i);
        }
        return found;
      },
    };
    const b = harness({ storage: counting });
    const ids: string[] = [];
    for (let n = 0; n < 3_000; n++) {
      ids.push((await b.forms.create({ name: `Form ${n}`, storage: { keep_for: "30_days" } })).id);
    }
    const old = [ids[7]!, ids[2_999]!];
    for (const id of old) await b.submit(id, { fields: { message: "old" } });
    await b.clock.advance(29 * DAY);
    await b.submit(ids[7]!, { fields: { message: "new" } });
    await b.clock.advance(2 * DAY);
    statements = 0;
    expect((await b.sweep()).submissions).toBe(2);
    // One for each 200 forms and one for what they have in the trash, and one for each of the two.
    expect(statements).toBeLessThan((2 * 3_000) / 150);
    expect((await b.submissions.list(ids[7]!)).data.map(({ fields }) => fields[0]?.value)).toEqual(["new"]);
    expect((await b.submissions.list(ids[2_999]!)).data).toEqual([]);
  });

  it("asks for the teams of a page of forms at once, so that posts find a connection", async () => {
    const store = memoryStorage();
    const asked: number[] = [];
    const counting: StorageDriver = {
      ...store,
      async get(collection, ids) {
        if (collection === "teams") asked.push(ids.length);
        return store.get(collection, ids);
      },
    };
    const b = harness({ storage: counting });
    for (let n = 0; n < 400; n++) {
      await b.teams.create({ id: `team-${n}`, name: `Team ${n}` });
      await b.forms.create({ name: "Contact" }, { team_id: `team-${n}` });
    }
    // Longer than a process remembers a team.
    await b.clock.advance(10_000);
    asked.length = 0;
    await b.sweep();
    expect(asked.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(400);
    expect(asked.length).toBeLessThan(10);
  });
});

it("each sweep clears the store's journal, which may still have rows that were deleted since the last one", async () => {
  let scrubs = 0;
  const store = memoryStorage();
  const storage: StorageDriver = {
    ...store,
    async scrub() {
      scrubs++;
    },
  };
  const b = harness({ storage });
  const { id } = await b.forms.create({ name: "A", storage: { keep_for: "30_days" } });
  await b.submit(id, { fields: { message: "old" } });
  expect((await b.sweep()).submissions).toBe(0);
  expect(scrubs).toBe(1);
  await b.clock.advance(31 * DAY);
  expect((await b.sweep()).submissions).toBe(1);
  expect(scrubs).toBe(2);
});
