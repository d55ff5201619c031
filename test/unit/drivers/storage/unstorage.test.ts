import { readdirSync } from "node:fs";
import { createStorage, prefixStorage, type Storage } from "unstorage";
import fsDriver from "unstorage/drivers/fs";
import { describe, expect, it } from "vitest";
import type { StorageDriver, Write } from "../../../../src/drivers/storage/types.ts";
import { type UnstorageLike, unstorageStorage } from "../../../../src/drivers/storage/unstorage.ts";
import {
  field,
  idsOf,
  job,
  one,
  padded,
  put,
  submission,
  time,
} from "../../../../src/surfaces/testing/storage/fixtures.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { passes } from "../../../_support/passes.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const files = (base: string): Storage => createStorage({ driver: fsDriver({ base }) });

describe("unstorageStorage over the memory driver", () => {
  for (const c of storageSuite) it(c.name, () => passes(c.run(() => unstorageStorage(createStorage()))), 60_000);
});

describe("unstorageStorage over the fs driver", () => {
  for (const c of storageSuite)
    it(c.name, () => passes(c.run(() => unstorageStorage(files(temporaryDirectory())))), 60_000);
});

async function opened(storage: UnstorageLike): Promise<StorageDriver> {
  const driver = unstorageStorage(storage);
  await driver.open();
  return driver;
}

describe("a restart", () => {
  it("finds rows, counters and the order of pages again, whatever the text", async () => {
    const base = temporaryDirectory();
    const first = await opened(files(base));
    const fields = [
      field("__proto__", "x"),
      field("žluť", "a\0b\ud800c"),
      field("json", '{"constructor":{"prototype":1}}'),
    ];
    for (const n of [3, 1, 2, 10]) await first.commit([submission(`S/${padded(n)}`, n, { fields })]);
    await first.commit([{ op: "add", id: "c", by: 3, at: time(1) }, put("forms", "gone", {}), job("j", 5)]);
    await first.commit([{ op: "remove", collection: "forms", id: "gone" }]);
    await first.claim({
      lane: "webhook",
      leaseMs: 1000,
      limit: 1,
      exclude: [],
      perTarget: 1,
      now: Date.parse(time(5)),
    });
    await first.close();

    const second = await opened(files(base));
    const page = { index: "form", equals: { form_id: "f1" }, order: "desc", limit: 9 } as const;
    const rows = await second.page("submissions", page);
    expect(idsOf(rows)).toEqual([10, 3, 2, 1].map((n) => `S/${padded(n)}`));
    expect(rows[0]?.value.fields).toEqual(fields);
    expect((await one(second, "counters", "c"))?.value).toEqual({ n: 3, at: time(1) });
    expect(await one(second, "forms", "gone")).toBeUndefined();
    expect((await one(second, "jobs", "j"))?.version).toBe(2);
    expect(await second.nextDueAt("webhook")).toBe(Date.parse(time(6)));
    expect(readdirSync(base)).toEqual(["form-backend"]);
  });

  it("leaves the host's other keys alone, and works under a prefix", async () => {
    const storage = createStorage();
    await storage.setItem("host:key", "x");
    await storage.setItem("form-backend-like", "x");
    const driver = await opened(prefixStorage(storage, "app"));
    await driver.commit([put("forms", "f", { name: "A" })]);
    await driver.close();
    expect((await storage.getKeys()).sort()).toEqual([
      "app:form-backend:rows:forms:f",
      "form-backend-like",
      "host:key",
    ]);
    expect((await one(await opened(prefixStorage(storage, "app")), "forms", "f"))?.value.name).toBe("A");
  });

  it("with a damaged row is refused, naming the key", async () => {
    const storage = createStorage();
    await (await opened(storage)).commit([put("forms", "f", { name: "A" })]);
    await storage.setItem("form-backend:rows:forms:f", 'fb1 ["f",1,{"na');
    await expect(opened(storage)).rejects.toThrow(/"form-backend:rows:forms:f" is damaged/);
  });
});

/** The same keys, with the calls that write counted; from call `failAt` on, each throws. `torn`: that call leaves half its text. */
function failing(storage: UnstorageLike, failAt: number, torn = false): UnstorageLike & { calls(): number } {
  let calls = 0;
  async function write(key: string, value: string | undefined): Promise<void> {
    calls++;
    if (calls === failAt && torn && value) await storage.setItem(key, value.slice(0, value.length / 2));
    if (calls >= failAt) throw new Error("the power is gone");
    await (value === undefined ? storage.removeItem(key) : storage.setItem(key, value));
  }
  return {
    calls: () => calls,
    getItem: (key) => storage.getItem(key),
    getKeys: (prefix) => storage.getKeys(prefix),
    setItem: (key, value) => write(key, value),
    removeItem: (key) => write(key, undefined),
  };
}

const before: Write[] = [put("forms", "a", { n: 1 }), put("forms", "b", { n: 1 }), job("j", 1)];
const change: Write[] = [
  put("forms", "a", { n: 2 }, 1),
  { op: "remove", collection: "forms", id: "b" },
  put("forms", "c", { n: 2 }, null),
  { op: "add", id: "k", by: 1, at: time(1) },
];

async function state(driver: StorageDriver): Promise<string> {
  const forms = await driver.get("forms", ["a", "b", "c"]);
  const counter = await one(driver, "counters", "k");
  return [...forms.values(), ...(counter ? [counter] : [])]
    .map((row) => `${row.id}${row.value.n}v${row.version}`)
    .join(" ");
}
const OLD = "a1v1 b1v1";
const NEW = "a2v2 c2v1 k1v1";

describe("a crash in the middle of a commit", () => {
  for (const torn of [false, true]) {
    it(`leaves all or nothing, whichever call it hits${torn ? ", with that call's text cut in half" : ""}`, async () => {
      const outcomes: string[] = [];
      for (let failAt = 1; ; failAt++) {
        const storage = createStorage();
        await (await opened(storage)).commit(before);
        const faulty = failing(storage, failAt, torn);
        const driver = await opened(faulty);
        const acknowledged = await driver.commit(change).then(
          () => true,
          () => false,
        );
        const seen = await state(driver);
        // The process ends here; the next one finds what the calls left.
        const next = await opened(storage);
        const found = await state(next);
        expect([OLD, NEW], `call ${failAt}`).toContain(found);
        if (acknowledged) expect(found).toBe(NEW);
        expect(found, "what was seen stays true").toBe(seen);
        expect(await storage.getKeys("form-backend:journal")).toEqual([]);
        outcomes.push(found);
        if (faulty.calls() < failAt) break;
      }
      expect(outcomes).toContain(OLD);
      expect(outcomes.filter((outcome) => outcome === NEW).length).toBeGreaterThan(5);
    });
  }

  it("is finished by the same process before the next write, never after it", async () => {
    for (let failAt = 1; failAt <= 6; failAt++) {
      const storage = createStorage();
      await (await opened(storage)).commit(before);
      let down = false;
      let calls = 0;
      const flaky: UnstorageLike = {
        getItem: (key) => storage.getItem(key),
        getKeys: (base) => storage.getKeys(base),
        async setItem(key, value) {
          if (++calls === failAt) down = true;
          if (down) throw new Error("the network is gone");
          await storage.setItem(key, value);
        },
        async removeItem(key) {
          if (++calls === failAt) down = true;
          if (down) throw new Error("the network is gone");
          await storage.removeItem(key);
        },
      };
      const driver = await opened(flaky);
      const acknowledged = await driver.commit(change).then(
        () => true,
        () => false,
      );
      await expect(driver.commit([put("forms", "a", { n: 3 })])).rejects.toThrow(/network/);
      expect(await state(driver)).toBe(acknowledged ? NEW : OLD);
      down = false;
      await driver.commit([put("forms", "a", { n: 3 })]);
      const seen = await state(driver);
      expect(seen).toContain("a3");
      expect(await state(await opened(storage))).toBe(seen);
    }
  });

  it("of a claim leaves the job claimed or free", async () => {
    for (let failAt = 1; failAt <= 3; failAt++) {
      const storage = createStorage();
      await (await opened(storage)).commit(before);
      const driver = await opened(failing(storage, failAt, true));
      const query = { lane: "webhook", leaseMs: 1000, limit: 9, exclude: [], perTarget: 9, now: Date.parse(time(1)) };
      const claim = await driver.claim(query).catch(() => undefined);
      const found = await one(await opened(storage), "jobs", "j");
      expect([found?.version, found?.value.leased]).toEqual(claim ? [2, true] : [1, false]);
    }
  });
});

describe("a journal", () => {
  it("that was torn is dropped; whole ones are replayed in order", async () => {
    const storage = createStorage();
    const journals = new Map<string, string>();
    const spy: UnstorageLike = {
      getItem: (key) => storage.getItem(key),
      getKeys: (base) => storage.getKeys(base),
      removeItem: (key) => storage.removeItem(key),
      async setItem(key, value) {
        if (key.startsWith("form-backend:journal:")) journals.set(key, value);
        await storage.setItem(key, value);
      },
    };
    const driver = await opened(spy);
    await driver.commit([put("forms", "a", { n: 1 })]);
    await driver.commit([put("forms", "a", { n: 2 })]);
    await driver.commit([put("forms", "b", { n: 1 })]);
    await storage.clear();
    const [first, second, third] = [...journals];
    await storage.setItem(second![0], second![1]);
    await storage.setItem(first![0], first![1]);
    for (const cut of [0, 3, 10, 40, third![1].length - 1]) {
      await storage.setItem(third![0], third![1].slice(0, cut));
      const next = await opened(storage);
      expect((await one(next, "forms", "a"))?.value.n).toBe(2);
      expect(await one(next, "forms", "b")).toBeUndefined();
      expect(await storage.getKeys()).toEqual(["form-backend:rows:forms:a"]);
    }
  });
});

describe("a large store", () => {
  it("is loaded in any order of keys", async () => {
    const storage = createStorage();
    const driver = await opened(storage);
    const ids = Array.from({ length: 5000 }, (_, i) => (i * 2_654_435_761) % 5000);
    await driver.commit(ids.map((n) => submission(padded(n), n)));
    const next = await opened(storage);
    const page = await next.page("submissions", {
      index: "form",
      equals: { form_id: "f1" },
      order: "asc",
      limit: 5000,
    });
    expect(idsOf(page)).toEqual([...new Set(ids)].sort((a, b) => a - b).map(padded));
  });
});
