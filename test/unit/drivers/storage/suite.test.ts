import { expect, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import type { Condition, StorageDriver, Stored, Write } from "../../../../src/drivers/storage/types.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";

type Fault = (good: StorageDriver) => Partial<StorageDriver>;

const without = (where: readonly Condition[] | undefined, op: string): Condition[] =>
  (where ?? []).filter((condition) => condition.op !== op);

const faults: Record<string, Fault> = {
  "expectations are ignored": (good) => ({
    commit: (writes) =>
      good.commit(writes.map((write) => (write.op === "add" ? write : { ...write, expect: undefined }))),
  }),
  "a commit is applied write by write": (good) => ({
    async commit(writes) {
      for (const write of writes) await good.commit([write]);
    },
  }),
  "a removal is forgotten": (good) => ({
    commit: (writes) => good.commit(writes.filter((write) => write.op !== "remove")),
  }),
  "counters keep the latest time instead of the greatest": (good) => ({
    async commit(writes) {
      const removals = writes.flatMap((w): Write[] =>
        w.op === "add" ? [{ op: "remove", collection: "counters", id: w.id }] : [],
      );
      const before = await good.get(
        "counters",
        removals.map((write) => write.id),
      );
      const added = writes.map((w) =>
        w.op === "add" ? { ...w, by: w.by + Number(before.get(w.id)?.value.n ?? 0) } : w,
      );
      await good.commit([...removals, ...added]);
    },
  }),
  "the place of a page is taken with its row": (good) => ({
    page: (collection, query) =>
      good.page(
        collection,
        query.after ? { ...query, after: { ...query.after, id: `${query.after.id}\uffff` } } : query,
      ),
  }),
  "ties are left out": (good) => ({
    async page(collection, query) {
      const rows = await good.page(collection, query);
      return rows.filter((row, i) => i === 0 || row.value.created_at !== rows[i - 1]?.value.created_at);
    },
  }),
  "not_contains is ignored": (good) => ({
    page: (collection, query) => good.page(collection, { ...query, where: without(query.where, "not_contains") }),
  }),
  "a count ignores lower bounds": (good) => ({
    count: (collection, query) => good.count(collection, { ...query, where: without(query.where, "gte") }),
  }),
  "groups without a value are left out": (good) => ({
    async count(collection, query) {
      const count = await good.count(collection, query);
      return count.groups ? { ...count, groups: count.groups.filter(({ key }) => key !== null) } : count;
    },
  }),
  "everything is called exact": (good) => ({
    count: async (collection, query) => ({ ...(await good.count(collection, query)), exact: true }),
  }),
  "a claim does not exclude": (good) => ({ claim: (query) => good.claim({ ...query, exclude: [] }) }),
  "a claim knows no share": (good) => ({ claim: (query) => good.claim({ ...query, perTarget: 1e9 }) }),
  "a lease is endless": (good) => ({ claim: (query) => good.claim({ ...query, leaseMs: 1e12 }) }),
  "the store's clock is its own epoch": (good) => ({ claim: (query) => good.claim({ now: 1e12, ...query }) }),
  "a claim hands out what it read a moment ago": (good) => {
    let last: Stored[] = [];
    return {
      async claim(query) {
        const { now, jobs } = await good.claim(query);
        const answer = jobs.length > 0 ? jobs : last;
        last = [...jobs];
        return { now, jobs: answer };
      },
    };
  },
  "nextDueAt forgets leases": (good) => ({
    async nextDueAt(lane) {
      const [row] = await good.page("jobs", {
        ...{ index: "due", equals: { lane }, order: "asc", limit: 1 },
        where: [{ column: "leased", op: "in", value: [false] }],
      });
      return row ? Date.parse(String(row.value.due_at)) : null;
    },
  }),
};

async function failures(make: () => StorageDriver): Promise<string[]> {
  const failed: string[] = [];
  for (const c of storageSuite) {
    await c.run(make).catch(() => failed.push(c.name));
  }
  return failed;
}

for (const [name, fault] of Object.entries(faults)) {
  it(`the suite refuses a driver where ${name}`, async () => {
    const make = (): StorageDriver => {
      const good = memoryStorage();
      return { ...good, ...fault(good) };
    };
    expect(await failures(make)).not.toEqual([]);
  });
}
