import assert from "node:assert/strict";
import { randomFillSync, randomUUID } from "node:crypto";
import type { BlobDriver } from "../../drivers/blob/types.ts";
import type { Suite } from "./suite.ts";

const META = { mimeType: "application/octet-stream" };
const MIB = 1024 * 1024;

/** Keys of the service are plain ids; these have to work as well, each apart from all others. */
const HOSTILE_KEYS = [
  "../escape",
  "..",
  ".",
  "",
  "/etc/hosts",
  "a/b",
  "a:b",
  "a\\b",
  "a/../b",
  "..\\..\\escape",
  "%2e%2e%2fescape",
  "name with spaces",
  "UPPER_case",
  "upper_case",
  "line\nbreak",
  "nul\0byte",
  "con",
  "a?b=1",
  "a$",
  "a:meta",
  "a:0",
  "__proto__",
  "constructor",
  "fichier-été",
  "fichier-e\u0301te\u0301",
  "文件_🗂️",
  "\ud800",
  "\udbff",
  "k".repeat(1000),
];

/**
 * The conformance suite of a blob driver. Each case makes its own driver and uses its own keys, so all may share one store.
 *
 * @example for (const c of blobSuite) test(c.name, () => c.run(() => myBlob(options)));
 */
export const blobSuite: Suite<BlobDriver> = [
  ...[0, 1, MIB, MIB + 1].map((size) => ({
    name: `${size} bytes come back as they were`,
    async run(create: () => Promise<BlobDriver> | BlobDriver) {
      await withDriver(create, async (driver) => {
        const [key, bytes] = [newKey(), randomBytes(size)];
        assert.deepEqual(await driver.put(key, streamOf(bytes), META), { size });
        assertSame(await read(driver, key), bytes);
      });
    },
  })),
  {
    name: "5 MiB in chunks of odd sizes come back as they were",
    async run(create) {
      await withDriver(create, async (driver) => {
        const [key, bytes] = [newKey(), randomBytes(5 * MIB)];
        assert.deepEqual(await driver.put(key, streamOf(bytes, [1, 65_537, 0, 7, 333_333, MIB]), META), {
          size: bytes.length,
        });
        assertSame(await read(driver, key), bytes);
        assertSame(await read(driver, key), bytes);
      });
    },
  },
  {
    name: "the bytes are taken and given as copies",
    async run(create) {
      await withDriver(create, async (driver) => {
        const [key, bytes] = [newKey(), Buffer.from("unchanged")];
        await driver.put(key, streamOf(bytes), META);
        bytes.fill("x");
        for await (const chunk of (await driver.get(key)) ?? assert.fail("the blob is absent")) chunk.fill(0);
        assertSame(await read(driver, key), Buffer.from("unchanged"));
      });
    },
  },
  {
    name: "a put replaces what was there, longer or shorter",
    async run(create) {
      await withDriver(create, async (driver) => {
        const key = newKey();
        for (const size of [10, 2 * MIB, 3]) {
          const bytes = randomBytes(size);
          await driver.put(key, streamOf(bytes), META);
          assertSame(await read(driver, key), bytes);
        }
      });
    },
  },
  {
    name: "a stream that errors leaves nothing behind and its error comes out",
    async run(create) {
      await withDriver(create, async (driver) => {
        const key = newKey();
        const broken = new Error("the upload broke off");
        await assert.rejects(driver.put(key, failing(broken), META), (error) => error === broken);
        assert.equal(await driver.get(key), null);
      });
    },
  },
  {
    name: "a stream that errors leaves the blob that was there as it was",
    async run(create) {
      await withDriver(create, async (driver) => {
        const [key, bytes] = [newKey(), randomBytes(1000)];
        await driver.put(key, streamOf(bytes), META);
        const broken = new Error("the upload broke off");
        await assert.rejects(driver.put(key, failing(broken), META), (error) => error === broken);
        assertSame(await read(driver, key), bytes);
      });
    },
  },
  {
    name: "an absent key is null",
    async run(create) {
      await withDriver(create, async (driver) => {
        assert.equal(await driver.get(newKey()), null);
      });
    },
  },
  {
    name: "a removed blob is absent; removing it again is fine",
    async run(create) {
      await withDriver(create, async (driver) => {
        const key = newKey();
        await driver.put(key, streamOf(randomBytes(2 * MIB)), META);
        await driver.remove(key);
        assert.equal(await driver.get(key), null);
        await driver.remove(key);
        await driver.remove(newKey());
        await driver.put(key, streamOf(Buffer.from("again")), META);
        assertSame(await read(driver, key), Buffer.from("again"));
      });
    },
  },
  {
    name: "any text is a key, and no two keys meet",
    async run(create) {
      await withDriver(create, async (driver) => {
        for (const [n, key] of HOSTILE_KEYS.entries()) await driver.put(key, streamOf(Buffer.from(`blob ${n}`)), META);
        for (const [n, key] of HOSTILE_KEYS.entries()) assertSame(await read(driver, key), Buffer.from(`blob ${n}`));
        for (const key of HOSTILE_KEYS) await driver.remove(key);
        for (const key of HOSTILE_KEYS) assert.equal(await driver.get(key), null, JSON.stringify(key));
      });
    },
  },
  {
    name: "20 puts at once keep apart",
    async run(create) {
      await withDriver(create, async (driver) => {
        const blobs = Array.from({ length: 20 }, (_, n) => ({ key: newKey(), bytes: randomBytes(n * 50_000) }));
        await Promise.all(blobs.map(({ key, bytes }) => driver.put(key, streamOf(bytes, [40_000]), META)));
        await Promise.all(blobs.map(async ({ key, bytes }) => assertSame(await read(driver, key), bytes)));
      });
    },
  },
  {
    name: "a read can be given up midway",
    async run(create) {
      await withDriver(create, async (driver) => {
        const [key, bytes] = [newKey(), randomBytes(3 * MIB)];
        await driver.put(key, streamOf(bytes), META);
        const reader = (await driver.get(key))?.getReader();
        const first = await reader?.read();
        assertSame(Buffer.from(first?.value ?? []), bytes.subarray(0, first?.value?.length ?? -1));
        await reader?.cancel();
        assertSame(await read(driver, key), bytes);
        await driver.remove(key);
      });
    },
  },
  {
    name: "closing twice is fine",
    async run(create) {
      const driver = await create();
      await driver.close();
      await driver.close();
    },
  },
];

const newKey = (): string => `file_${randomUUID()}`;

async function withDriver(
  create: () => Promise<BlobDriver> | BlobDriver,
  use: (driver: BlobDriver) => Promise<void>,
): Promise<void> {
  const driver = await create();
  await use(driver).finally(() => driver.close());
}

/** The bytes as a stream, cut into chunks whose sizes repeat. */
function streamOf(bytes: Buffer, sizes: readonly number[] = [64 * 1024]): ReadableStream<Uint8Array> {
  let from = 0;
  let turn = 0;
  return new ReadableStream({
    pull(controller) {
      if (from >= bytes.length) return controller.close();
      const to = from + (sizes[turn++ % sizes.length] ?? 1);
      controller.enqueue(bytes.subarray(from, to));
      from = to;
    },
  });
}

/** 2.5 MiB and then an error. */
function failing(error: Error): ReadableStream<Uint8Array> {
  let left = 5;
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(randomBytes(MIB / 2));
      else controller.error(error);
    },
  });
}

async function read(driver: BlobDriver, key: string): Promise<Buffer> {
  const body = await driver.get(key);
  assert.ok(body, `the blob ${JSON.stringify(key.slice(0, 80))} is absent`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

// Not deepEqual: its report of two long buffers takes seconds to make.
function assertSame(actual: Buffer, expected: Buffer): void {
  assert.ok(
    actual.equals(expected),
    `${actual.length} bytes came back that differ from the ${expected.length} expected`,
  );
}

/** In pieces, since Cloudflare's runtime gives 64 KiB at a time. */
function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  for (let from = 0; from < size; from += 65_536) randomFillSync(bytes, from, Math.min(65_536, size - from));
  return bytes;
}
