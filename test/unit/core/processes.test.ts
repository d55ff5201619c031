import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Generation } from "../../../src/core/processes.ts";
import { memoryMailer } from "../../../src/drivers/mailer/memory.ts";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import { createBackend, type FormBackend } from "../../../src/surfaces/form-backend.ts";
import { testClock } from "../../../src/surfaces/testing/clock.ts";
import { temporaryDirectory } from "../../_support/temporary.ts";

const MINUTE_MS = 60_000;
const start = Date.parse("2026-01-01T00:00:00.000Z");

describe("versions of the library on one store", () => {
  let path: string;
  const open: FormBackend[] = [];
  const errors: string[] = [];
  beforeEach(() => {
    path = join(temporaryDirectory(), "forms.db");
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((backend) => backend.close()));
    errors.splice(0);
  });

  /** A process of a version, with a clock of its own. */
  function version(generation: Generation, clock = testClock(start)) {
    const nothing = (): void => {};
    const backend = createBackend(
      {
        baseUrl: "https://app.example.com/forms",
        secret: "a secret of the versions, 32 long",
        storage: sqliteStorage({ path }),
        mailer: memoryMailer(),
        work: false,
        clock,
        logger: { debug: nothing, info: nothing, warn: nothing, error: (message: string) => void errors.push(message) },
      },
      { generation },
    );
    open.push(backend);
    return { backend, clock, ready: () => backend.ready() };
  }

  const health = ({ backend }: { readonly backend: FormBackend }): Promise<Response> =>
    backend.fetch(new Request("https://app.example.com/forms/f/AAAAAAAAAAA", { method: "POST", body: "a=b" }));

  it("run side by side where each handles what the other writes", async () => {
    for (const own of [1, 2, 1]) await expect(version({ own, oldest: 1 }).ready()).resolves.toBeUndefined();
  });

  it("a newer one does not start beside one that is too old for it, and starts once that one has ended", async () => {
    const older = version({ own: 1, oldest: 1 });
    await older.ready();
    const newer = version({ own: 2, oldest: 2 });
    await expect(newer.ready()).rejects.toThrow(
      "a process of an older form-backend (generation 1) still uses the store, and this version needs 2; stop all processes of " +
        "the older version first (one that was killed counts until 2026-01-01T00:05:00.000Z)",
    );
    expect((await health(newer)).status).toBe(503);
    await older.backend.close();
    await newer.ready();
  });

  it("an older one does not start once a newer one has used the store, even after that has ended", async () => {
    const newer = version({ own: 2, oldest: 2 });
    await newer.ready();
    await newer.backend.close();
    await expect(version({ own: 1, oldest: 1 }).ready()).rejects.toThrow(
      "the store is used by a newer form-backend (generation 2, and this one is 1), whose data this version would handle " +
        "wrongly; upgrade the package",
    );
  });

  it("one that was killed counts for five minutes after its last sign, and one that runs for as long as it runs", async () => {
    const clock = testClock(start);
    let next = 0;
    const older = version(
      { own: 1, oldest: 1 },
      {
        ...clock,
        setTimer(run, ms) {
          if (ms === MINUTE_MS) next = clock.now() + ms;
          return clock.setTimer(run, ms);
        },
      },
    );
    await older.ready();
    const tooEarly = version({ own: 2, oldest: 2 }, testClock(start + 5 * MINUTE_MS - 1));
    await expect(tooEarly.ready()).rejects.toThrow("still uses the store");
    const storage = sqliteStorage({ path });
    await storage.open();
    for (let minute = 1; minute <= 6; minute++) {
      older.clock.set(start + minute * MINUTE_MS);
      const until = new Date(start + (minute + 5) * MINUTE_MS).toISOString();
      const read = async () => (await storage.get("marks", ["processes"])).get("processes")?.value["running"];
      await expect.poll(read).toEqual([expect.objectContaining({ generation: 1, until })]);
      // It plans its next sign after it has stored this one; before that, the clock would run past it.
      await expect.poll(() => next).toBe(start + (minute + 1) * MINUTE_MS);
    }
    await storage.close();
    const late = version({ own: 2, oldest: 2 }, testClock(start + 11 * MINUTE_MS - 1));
    await expect(late.ready()).rejects.toThrow("counts until 2026-01-01T00:11:00.000Z");
    await version({ own: 2, oldest: 2 }, testClock(start + 11 * MINUTE_MS)).ready();
  });

  it("one that stood still while a newer one started takes nothing any more", async () => {
    const older = version({ own: 1, oldest: 1 });
    await older.ready();
    expect((await health(older)).status).toBe(404);
    await version({ own: 2, oldest: 2 }, testClock(start + 6 * MINUTE_MS)).ready();
    older.clock.set(start + 6 * MINUTE_MS);
    await expect.poll(() => errors.join()).toContain("the store is used by a newer form-backend");
    expect((await health(older)).status).toBe(503);
  });

  it.each([1, 3])("%i of the newer and one of the older that start at once never both run", async (count) => {
    const all = [
      version({ own: 1, oldest: 1 }),
      ...Array.from({ length: count }, () => version({ own: 2, oldest: 2 })),
    ];
    const [older, ...newer] = await Promise.allSettled(all.map(({ ready }) => ready()));
    expect(newer.map(({ status }) => status === "fulfilled")).toEqual(newer.map(() => older?.status === "rejected"));
  });
});
