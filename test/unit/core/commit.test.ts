import { describe, expect, it } from "vitest";
import { createCommitter } from "../../../src/core/commit.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import { StaleWriteError, type StorageDriver, StoreDownError, type Write } from "../../../src/drivers/storage/types.ts";
import { ApiError } from "../../../src/errors.ts";

const put = (id: string, expect: number | null = null): Write => ({
  op: "put",
  collection: "marks",
  id,
  value: { expires_at: "2026-01-01T00:00:00.000Z" },
  expect,
});

/** A storage that counts its commits, holds the first until told, and can refuse. */
function watched(fail: (writes: readonly Write[]) => Error | null = () => null) {
  const storage = memoryStorage();
  const batches: (readonly Write[])[] = [];
  const driver: StorageDriver = {
    ...storage,
    async commit(writes) {
      batches.push(writes);
      const error = fail(writes);
      if (error) throw error;
      await storage.commit(writes);
    },
  };
  return { driver, batches };
}

describe("group commit", () => {
  it("puts what arrives together into one transaction: half of a crowd, at most 64 items", async () => {
    const { driver, batches } = watched();
    const committer = createCommitter(driver);
    await Promise.all(Array.from({ length: 200 }, (_, i) => committer.commit([put(`a${i}`)], 10)));
    expect(batches.map(({ length }) => length)).toEqual([64, 64, 36, 32, 4]);
  });

  it("bounds a batch by bytes, but lets a single large item through", async () => {
    const { driver, batches } = watched();
    const committer = createCommitter(driver);
    const sizes = [600_000, 600_000, 5_000_000, 10];
    await Promise.all(sizes.map((bytes, i) => committer.commit([put(`a${i}`)], bytes)));
    expect(batches.map(({ length }) => length)).toEqual([1, 1, 1, 1]);
  });

  it("lets teams take turns, and bounds what they share by its rows", async () => {
    const { driver, batches } = watched();
    const committer = createCommitter(driver);
    const rows = (name: string, count: number) => Array.from({ length: count }, (_, i) => put(`${name}.${i}`));
    const all = Array.from({ length: 20 }, (_, i) => committer.commit(rows(`heavy${i}`, 40), 10, "worst"));
    all.push(committer.commit(rows("calm0", 6), 10, "calm"), committer.commit(rows("calm1", 6), 10, "calm"));
    await Promise.all(all);
    const ids = batches.map((writes) => [
      ...new Set(writes.map((write) => String("id" in write && write.id).split(".")[0])),
    ]);
    expect(ids[0]).toEqual(["heavy0", "calm0", "heavy1", "calm1"]);
    // Twelve items of 40 rows, and no thirteenth.
    expect(batches.map(({ length }) => length)).toEqual([92, 480, 240]);
  });

  it("adds to each counter once per batch", async () => {
    const { driver, batches } = watched();
    const committer = createCommitter(driver);
    const at = (i: number) => `2026-01-01T00:00:00.00${i}Z`;
    await Promise.all(
      Array.from({ length: 9 }, (_, i) =>
        committer.commit([put(`a${i}`), { op: "add", id: i % 2 ? "odd" : "even", by: 1, at: at(i) }], 1),
      ),
    );
    expect(batches[0]?.filter(({ op }) => op === "add")).toEqual([
      { op: "add", id: "even", by: 5, at: at(8) },
      { op: "add", id: "odd", by: 4, at: at(7) },
    ]);
    expect((await driver.get("counters", ["odd"])).get("odd")?.value).toEqual({ n: 4, at: at(7) });
  });

  it("adds to counters in the order of their names, so that two processes can't wait for each other", async () => {
    const { driver, batches } = watched();
    const committer = createCommitter(driver);
    const at = "2026-01-01T00:00:00.000Z";
    await Promise.all(["c", "a", "b"].map((id) => committer.commit([{ op: "add", id, by: 1, at }], 1)));
    expect(batches[0]?.map((write) => "id" in write && write.id)).toEqual(["a", "b", "c"]);
  });

  it("does not let one bad item sink its neighbours", async () => {
    const { driver } = watched((writes) =>
      writes.some((write) => "id" in write && write.id === "bad") ? new Error("bad row") : null,
    );
    const committer = createCommitter(driver);
    const results = await Promise.allSettled(["a", "bad", "b", "c"].map((id) => committer.commit([put(id)], 1)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect([...(await driver.get("marks", ["a", "b", "c", "bad"])).keys()].sort()).toEqual(["a", "b", "c"]);
  });

  it("tells a conflicting item apart from its neighbours", async () => {
    const { driver } = watched();
    const committer = createCommitter(driver);
    await committer.commit([put("taken")], 1);
    const results = await Promise.allSettled(["a", "taken", "b"].map((id) => committer.commit([put(id)], 1)));
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((results[1] as PromiseRejectedResult).reason).toBeInstanceOf(StaleWriteError);
  });

  it("gives up on a store that is down after two tries and not after thirty-two", async () => {
    const { driver, batches } = watched(() => new Error("down"));
    const committer = createCommitter(driver);
    const results = await Promise.allSettled(Array.from({ length: 32 }, (_, i) => committer.commit([put(`a${i}`)], 1)));
    expect(results.every(({ status }) => status === "rejected")).toBe(true);
    expect(batches).toHaveLength(3);
  });

  it("does not try one by one where the store itself is down", async () => {
    const down = new ApiError("unavailable", { cause: new StoreDownError("cut") });
    const { driver, batches } = watched(() => down);
    const committer = createCommitter(driver);
    const results = await Promise.allSettled(Array.from({ length: 32 }, (_, i) => committer.commit([put(`a${i}`)], 1)));
    expect(results.every((result) => result.status === "rejected" && result.reason === down)).toBe(true);
    expect(batches).toHaveLength(1);
  });

  it("has as many transactions in flight as the store takes, and leaves no item behind", async () => {
    for (const writers of [1, 2, 3]) {
      const storage = memoryStorage();
      let [inFlight, most] = [0, 0];
      const committer = createCommitter({
        ...storage,
        writers,
        async commit(writes) {
          most = Math.max(most, ++inFlight);
          await new Promise((resolve) => setImmediate(resolve));
          inFlight--;
          await storage.commit(writes);
        },
      });
      const chain = async (name: string): Promise<void> => {
        for (let i = 0; i < 20; i++) await committer.commit([put(`${name}-${i}`)], 1);
      };
      await Promise.all(Array.from({ length: 200 }, (_, i) => chain(`c${i}`)));
      await committer.drained();
      expect(most).toBe(writers);
    }
  });

  it("refuses with 503 what would wait beyond its bound, and accepts again afterwards", async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => (release = resolve));
    const storage = memoryStorage();
    const committer = createCommitter({ ...storage, commit: (writes) => gate.then(() => storage.commit(writes)) });
    const accepted = Array.from({ length: 10_000 }, (_, i) => committer.commit([put(`a${i}`)], 1));
    await expect(committer.commit([put("late")], 1)).rejects.toMatchObject({ code: "unavailable", status: 503 });
    release();
    await Promise.all(accepted);
    await committer.commit([put("late")], 1);
    await committer.drained();
    expect((await storage.get("marks", ["late", "a9999"])).size).toBe(2);
  });
});
