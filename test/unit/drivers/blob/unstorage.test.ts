import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStorage, prefixStorage } from "unstorage";
import fsDriver from "unstorage/drivers/fs-lite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { unstorageBlob } from "../../../../src/drivers/blob/unstorage.ts";
import { blobSuite } from "../../../../src/surfaces/testing/blob.ts";
import { passes } from "../../../_support/passes.ts";

const META = { mimeType: "text/plain" };
const MIB = 1024 * 1024;
const streamOf = (...chunks: Uint8Array[]) => new Blob(chunks).stream() as ReadableStream<Uint8Array>;

describe("unstorageBlob in memory", () => {
  for (const c of blobSuite) test(c.name, () => passes(c.run(() => unstorageBlob(createStorage()))));
});

describe("unstorageBlob in files", () => {
  let base = "";
  beforeAll(async () => {
    base = await mkdtemp(join(tmpdir(), "form-backend-unstorage-"));
  });
  afterAll(() => rm(base, { recursive: true, force: true }));

  for (const c of blobSuite) {
    test(c.name, () =>
      passes(c.run(() => unstorageBlob(createStorage({ driver: fsDriver({ base: join(base, "blobs") }) })))),
    );
  }

  test("no key left the directory", async () => {
    expect(await readdir(base)).toEqual(["blobs"]);
  });
});

describe("unstorageBlob's items", () => {
  test("parts of 1 MiB and a manifest, in the part of the storage it was given", async () => {
    const storage = createStorage();
    await unstorageBlob(prefixStorage(storage, "files")).put("file_1", streamOf(new Uint8Array(2 * MIB + 5)), META);
    const keys = await storage.getKeys();
    expect(keys.every((key) => key.startsWith("files:file_1:"))).toBe(true);
    const sizes = await Promise.all(
      keys.filter((key) => !key.endsWith(":meta")).map(async (key) => (await storage.getItemRaw(key)).length),
    );
    expect(sizes.sort((a, b) => b - a)).toEqual([MIB, MIB, 5]);
    expect(keys).toHaveLength(4);
  });

  test("a replaced and a removed blob leave no item behind", async () => {
    const storage = createStorage();
    const blob = unstorageBlob(storage);
    await blob.put("file_1", streamOf(new Uint8Array(3 * MIB)), META);
    await blob.put("file_1", streamOf(new Uint8Array(1)), META);
    expect(await storage.getKeys()).toHaveLength(2);
    await blob.remove("file_1");
    expect(await storage.getKeys()).toEqual([]);
  });

  test("a failed put leaves no item behind, whether the stream or the storage failed", async () => {
    const storage = createStorage();
    let left = 3;
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(new Uint8Array(MIB));
        else controller.error(new Error("cut"));
      },
    });
    await expect(unstorageBlob(storage).put("file_1", broken, META)).rejects.toThrow("cut");
    expect(await storage.getKeys()).toEqual([]);

    let writes = 0;
    const full = {
      getItemRaw: (key: string) => storage.getItemRaw(key),
      removeItem: (key: string) => storage.removeItem(key),
      setItemRaw: async (key: string, value: unknown) => {
        await storage.setItemRaw(key, value);
        if (++writes === 2) throw new Error("the disk is full");
      },
    };
    await expect(unstorageBlob(full).put("file_1", streamOf(new Uint8Array(3 * MIB)), META)).rejects.toThrow(
      "the disk is full",
    );
    expect(await storage.getKeys()).toEqual([]);
  });

  test("a blob that is removed while it is read ends in an error, never in a short file", async () => {
    const blob = unstorageBlob(createStorage());
    await blob.put("file_1", streamOf(new Uint8Array(3 * MIB)), META);
    const reader = (await blob.get("file_1"))!.getReader();
    await reader.read();
    await blob.remove("file_1");
    await expect(reader.read()).rejects.toThrow(
      "[form-backend] unstorageBlob: the blob was removed or replaced while it was read.",
    );
  });
});
