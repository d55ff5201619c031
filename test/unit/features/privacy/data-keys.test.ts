import { describe, expect, it } from "vitest";
import type { Core } from "../../../../src/core/core.ts";
import type { EncryptionOptions } from "../../../../src/core/options/encryption.ts";
import { viewOf } from "../../../../src/core/per-backend.ts";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { StaleWriteError } from "../../../../src/drivers/storage/types.ts";
import { ApiError } from "../../../../src/errors.ts";
import { dataKeyFor, dataKeyOf, shredDataKey } from "../../../../src/features/privacy/data-keys.ts";
import { inside } from "../../../_support/inside.ts";
import { KEY } from "../../../_support/privacy.ts";

const OLD = { id: "k1", key: KEY };
const NEW = { id: "k2", key: Buffer.alloc(32, 9).toString("base64") };

/** Two processes over one store, with the number of times that each asked the store for a key, and its service to unwrap one. */
async function processes(encryption?: EncryptionOptions) {
  const storage = memoryStorage();
  const one = async () => {
    const asked = { store: 0, service: 0 };
    const hooks = {
      wrap: async (bytes: Uint8Array) => new Uint8Array(bytes).map((byte) => byte ^ 0x5a),
      unwrap: async (bytes: Uint8Array) => {
        asked.service++;
        return new Uint8Array(bytes).map((byte) => byte ^ 0x5a);
      },
    };
    const { b, core: opened, clock } = await inside({ storage, encryption: encryption ?? hooks });
    const mark: Core["rows"]["mark"] = (...of) => {
      asked.store++;
      return opened.rows.mark(...of);
    };
    const core = viewOf(opened, { rows: { ...opened.rows, mark } });
    const pass = (ms: number) => clock.set(clock.now() + ms);
    return { b, core, asked, pass };
  };
  const [a, other] = [await one(), await one()];
  const { id } = await a.b.forms.create({ name: "A" });
  const keyRow = async () => (await storage.get("marks", [`data-key:${id}`])).get(`data-key:${id}`);
  return {
    ...{ storage, a, other, id, keyRow },
    /** Puts a key's row back, as from a backup. */
    putBack: (value: Record<string, unknown>) =>
      storage.commit([{ op: "put", collection: "marks", id: `data-key:${id}`, value }]),
  };
}

describe("the data key of a form", () => {
  it("is made once, however many ask, and is asked of the store and of the service once in two seconds", async () => {
    const { a, id } = await processes();
    const keys = await Promise.all(Array.from({ length: 5 }, () => dataKeyFor(a.core, id)));
    const [first] = keys;
    expect(first).toMatchObject({ id: expect.stringMatching(/^dk_/), bytes: expect.any(Uint8Array) });
    expect(first?.bytes).toHaveLength(32);
    expect(new Set(keys.map((key) => key.id)).size).toBe(1);
    // One to see that it can be unwrapped.
    expect(a.asked.service).toBe(1);
    expect(await dataKeyFor(a.core, id)).toEqual(first);
    const { store } = a.asked;
    a.pass(1_999);
    expect(await dataKeyFor(a.core, id)).toEqual(first);
    expect(await dataKeyOf(a.core, id, first!.id)).toEqual(first);
    expect(a.asked.store).toBe(store);
    a.pass(1);
    expect(await dataKeyFor(a.core, id)).toEqual(first);
    expect(a.asked).toEqual({ store: store + 1, service: 1 });
  });

  it("is the other process's, where that one was first", async () => {
    const { a, other, id } = await processes();
    expect(await dataKeyOf(a.core, id, "dk_before")).toBeNull();
    const theirs = await dataKeyFor(other.core, id);
    // For two seconds this process knows of none, and looks once more before it makes one.
    expect(await dataKeyFor(a.core, id)).toEqual(theirs);
    expect(await dataKeyOf(a.core, id, theirs.id)).toEqual(theirs);
  });

  it("is made by one of two processes at once, and both have the same", async () => {
    const { a, other, id } = await processes();
    const [mine, theirs] = await Promise.all([dataKeyFor(a.core, id), dataKeyFor(other.core, id)]);
    expect(mine).toEqual(theirs);
  });

  it("is known by its id as soon as another process has made it, and an id that is gone is asked for once", async () => {
    const { a, other, id } = await processes();
    expect(await dataKeyOf(a.core, id, "dk_gone")).toBeNull();
    const { store } = a.asked;
    expect(await dataKeyOf(a.core, id, "dk_gone")).toBeNull();
    expect(a.asked.store).toBe(store);
    const made = await dataKeyFor(other.core, id);
    expect(await dataKeyOf(a.core, id, made.id)).toEqual(made);
    // Known within its time: nothing is asked.
    const before = a.asked.store;
    expect(await dataKeyOf(a.core, id, made.id)).toEqual(made);
    expect(a.asked.store).toBe(before);
  });

  it("is no other form's", async () => {
    const { a, id } = await processes();
    const { id: second } = await a.b.forms.create({ name: "B" });
    const [mine, theirs] = [await dataKeyFor(a.core, id), await dataKeyFor(a.core, second)];
    expect(await dataKeyOf(a.core, id, theirs.id)).toBeNull();
    expect(await dataKeyOf(a.core, second, theirs.id)).toEqual(theirs);
    expect(await dataKeyOf(a.core, id, mine.id)).toEqual(mine);
  });
});

describe("a data key that was shredded", () => {
  it("is in no memory of the process that did it, nor of one that notices it", async () => {
    const { a, other, id, keyRow, putBack } = await processes();
    const { id: key } = await dataKeyFor(a.core, id);
    await dataKeyOf(other.core, id, key);
    expect([a.asked.service, other.asked.service]).toEqual([1, 1]);
    const { value } = (await keyRow())!;
    expect(await shredDataKey(a.core, id)).toEqual({ id, shredded: true });
    expect(await keyRow()).toBeUndefined();
    other.pass(2_000);
    // Another key is in its place meanwhile.
    const next = await dataKeyFor(other.core, id);
    expect(next.id).not.toBe(key);
    await putBack(value);
    for (const { core, asked, pass } of [a, other]) {
      pass(2_000);
      const before = asked.service;
      expect((await dataKeyOf(core, id, key))?.id).toBe(key);
      expect(asked.service).toBe(before + 1);
    }
  });

  it("goes from memory where only the cache knew it, and where no row is left", async () => {
    const { a, other, id, keyRow, putBack } = await processes();
    const { id: key } = await dataKeyFor(a.core, id);
    await dataKeyOf(a.core, id, key);
    const { value } = (await keyRow())!;
    // The other process was faster.
    await shredDataKey(other.core, id);
    expect(await shredDataKey(a.core, id)).toEqual({ id, shredded: true });
    await putBack(value);
    const before = a.asked.service;
    expect((await dataKeyOf(a.core, id, key))?.id).toBe(key);
    expect(a.asked.service).toBe(before + 1);
    await other.b.forms.delete(id);
    expect(await shredDataKey(other.core, id)).toEqual({ id, shredded: true });
    await expect(shredDataKey(other.core, id)).rejects.toMatchObject({ code: "form_not_found" });
  });
});

describe("a data key that an older key of the host's wraps", () => {
  async function rotated() {
    const options: { keys: { id: string; key: string }[] } = { keys: [OLD] };
    const world = await processes(options);
    const made = await dataKeyFor(world.a.core, world.id);
    const { core } = await inside({ storage: world.storage, encryption: { keys: [NEW, OLD] } });
    return { ...world, made, core };
  }

  it("is wrapped by the first, and opened from there on", async () => {
    const { storage, id, made, core, keyRow } = await rotated();
    expect((await keyRow())?.value["by"]).toBe("k1");
    expect(await dataKeyFor(core, id)).toEqual(made);
    expect((await keyRow())?.value).toMatchObject({ by: "k2", id: made.id });
    const { version } = (await keyRow())!;
    expect(await dataKeyOf(core, id, made.id)).toEqual(made);
    const later = await inside({ storage, encryption: { keys: [NEW] } });
    expect(await dataKeyOf(later.core, id, made.id)).toEqual(made);
    expect((await keyRow())?.version).toBe(version);
  });

  it.each([
    ["another process was faster", new StaleWriteError("marks", "m")],
    ["the store refuses it", new ApiError("unavailable")],
  ])("is opened all the same where %s", async (_, fault) => {
    const { id, made, core, keyRow } = await rotated();
    let tries = 0;
    const commitNow = () => {
      tries++;
      return Promise.reject(fault);
    };
    const view = viewOf(core, { commitNow });
    expect(await dataKeyFor(view, id)).toEqual(made);
    expect((await keyRow())?.value["by"]).toBe("k1");
    // It is in memory, so nobody tries again for each value.
    expect(await dataKeyOf(view, id, made.id)).toEqual(made);
    expect(tries).toBe(1);
  });

  it("is not opened after a fault that nobody knows, and the next caller tries again", async () => {
    const { id, made, core } = await rotated();
    const fault = new Error("a bug");
    const view = viewOf(core, { commitNow: () => Promise.reject(fault) });
    await expect(dataKeyFor(view, id)).rejects.toBe(fault);
    await expect(dataKeyFor(view, id)).rejects.toBe(fault);
    expect(await dataKeyFor(core, id)).toEqual(made);
  });

  it("is asked for again after the service failed", async () => {
    let fails = true;
    const turned = (bytes: Uint8Array) => new Uint8Array(bytes).map((byte) => byte ^ 0x5a);
    const { storage, a, id } = await processes({
      wrap: async (key) => turned(key),
      unwrap: async (key) => turned(key),
    });
    const { id: key } = await dataKeyFor(a.core, id);
    const { core } = await inside({
      storage,
      encryption: {
        wrap: async (bytes) => turned(bytes),
        unwrap: async (bytes) => {
          if (fails) throw new Error("down");
          return turned(bytes);
        },
      },
    });
    await expect(dataKeyOf(core, id, key)).rejects.toMatchObject({ code: "unavailable" });
    fails = false;
    expect((await dataKeyOf(core, id, key))?.id).toBe(key);
  });
});
