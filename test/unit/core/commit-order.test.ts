import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createCommitter } from "../../../src/core/commit.ts";
import { memoryStorage } from "../../../src/drivers/storage/memory.ts";
import { StaleWriteError, type Write } from "../../../src/drivers/storage/types.ts";

const write = (id: string): Write[] => [{ op: "put", collection: "marks", id, value: {} }];

/** A store whose commits end when they are told to, each by itself. */
function held(writers?: number) {
  const under: { ids: string[]; writes: readonly Write[]; end: (error?: Error) => void }[] = [];
  const committer = createCommitter({
    ...memoryStorage(),
    ...(writers !== undefined && { writers }),
    commit: (writes) =>
      new Promise((resolve, reject) => {
        under.push({ ids: writes.map(({ id }) => id), writes, end: (error) => (error ? reject(error) : resolve()) });
      }),
  });
  return { ...committer, under };
}

it("an item is durable only when its transaction has ended, and nothing waits any more after that", async () => {
  const { commit, drained, under } = held();
  const ended: string[] = [];
  const item = commit(write("a"), 1).then(() => ended.push("item"));
  await turn();
  const all = drained().then(() => ended.push("drained"));
  await turn();
  expect([under.map(({ ids }) => ids), ended]).toEqual([[["a"]], []]);
  under[0]?.end();
  await Promise.all([item, all]);
  expect(ended).toEqual(["item", "drained"]);
  await drained();
});

it("an item alone goes in the next turn, and those that come meanwhile share the next transaction", async () => {
  const { commit, under } = held();
  const items = [commit(write("a"), 1)];
  expect(under).toEqual([]);
  await turn();
  items.push(commit(write("b"), 1), commit(write("c"), 1));
  await turn();
  items.push(commit(write("d"), 1));
  await turn();
  expect(under.map(({ ids }) => ids)).toEqual([["a"]]);
  under[0]?.end();
  await turn();
  expect(under.map(({ ids }) => ids)).toEqual([["a"], ["b", "c", "d"]]);
  under[1]?.end();
  await Promise.all(items);
});

it("a second transaction is begun while the first is under way, if the store takes two", async () => {
  const { commit, under } = held(2);
  const items = [commit(write("a"), 1)];
  await turn();
  items.push(commit(write("b"), 1));
  await turn();
  items.push(commit(write("c"), 1));
  await turn();
  expect(under.map(({ ids }) => ids)).toEqual([["a"], ["b"]]);
  for (const { end } of under) end();
  await turn();
  expect(under.map(({ ids }) => ids)).toEqual([["a"], ["b"], ["c"]]);
  under[2]?.end();
  await Promise.all(items);
});

it("the rows of one team's items fill a transaction up to 512", async () => {
  const { commit, under } = held();
  const rows = (name: string, count: number) => Array.from({ length: count }, (_, i) => write(`${name}.${i}`)).flat();
  const items = [commit(rows("a", 500), 1), commit(rows("b", 12), 1), commit(rows("c", 1), 1)];
  await turn();
  expect(under[0]?.ids).toHaveLength(512);
  under[0]?.end();
  await turn();
  expect(under[1]?.ids).toEqual(["c.0"]);
  under[1]?.end();
  await Promise.all(items);
});

it("a single item that fails is not tried a second time", async () => {
  const { commit, under } = held();
  const item = commit(write("a"), 1);
  await turn();
  under[0]?.end(new Error("disk"));
  await expect(item).rejects.toThrow("disk");
  await turn();
  expect(under).toHaveLength(1);
});

it("a conflict between two faults is neither a third fault nor a success", async () => {
  const tried: string[] = [];
  const { commit } = createCommitter({
    ...memoryStorage(),
    async commit(writes) {
      tried.push(writes.map(({ id }) => id).join());
      if (writes.length > 1 || writes[0]?.id.startsWith("bad")) throw new Error("no");
      if (writes[0]?.id === "stale") throw new StaleWriteError("marks", "stale");
    },
  });
  const ids = ["bad1", "stale", "bad2", "a"];
  const results = await Promise.allSettled(ids.map((id) => commit(write(id), 1)));
  expect(tried).toEqual([ids.join(), "bad1", "stale", "bad2"]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
  expect(results.map((result) => String((result as PromiseRejectedResult).reason.message)).at(-1)).toBe("no");
});

it("a counter's latest time wins, whatever the order, and the callers' writes stay as they are", async () => {
  const { commit, under } = held();
  const adds = ["2026-01-02", "2026-01-03", "2026-01-01"].map((at): Write => ({ op: "add", id: "n", by: 2, at }));
  const items = adds.map((add) => commit([add], 1));
  await turn();
  expect(under[0]?.writes).toEqual([{ op: "add", id: "n", by: 6, at: "2026-01-03" }]);
  expect(adds[0]).toEqual({ op: "add", id: "n", by: 2, at: "2026-01-02" });
  under[0]?.end();
  await Promise.all(items);
});
