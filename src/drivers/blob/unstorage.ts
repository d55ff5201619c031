import { randomBytes } from "node:crypto";
import { fileName } from "./_file-name.ts";
import type { BlobDriver } from "./types.ts";

/** The part of an unstorage instance we use. */
export interface BlobStorage {
  getItemRaw(key: string): Promise<unknown>;
  setItemRaw(key: string, value: unknown): Promise<void>;
  removeItem(key: string): Promise<void>;
}

/** The content of the item `<name>:meta`. Written last: without it there is no blob. */
interface Manifest {
  readonly size: number;
  readonly parts: number;
  /** Sets the parts of one put apart from those of the put that it replaces. */
  readonly generation: string;
}

const PART_BYTES = 1024 * 1024;

/**
 * Stores blobs in an unstorage instance. unstorage has no streams, so a blob is cut into items of 1 MiB, and a put or a get has
 * one of them in memory at a time. Two simultaneous puts of one key can leave parts of the loser behind.
 *
 * @example unstorageBlob(prefixStorage(storage, "form-files"))
 */
export function unstorageBlob(storage: BlobStorage): BlobDriver {
  if (typeof storage?.getItemRaw !== "function") {
    throw new TypeError("[form-backend] unstorageBlob: pass an instance made by createStorage() of unstorage.");
  }
  const metaKey = (key: string): string => `${fileName(key)}:meta`;
  const partKey = (key: string, generation: string, part: number): string => `${fileName(key)}:${generation}:${part}`;

  const readManifest = async (key: string): Promise<Manifest | null> => {
    const bytes = toBytes(await storage.getItemRaw(metaKey(key)));
    return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Manifest);
  };
  const removeParts = async (
    key: string,
    { generation, parts }: Pick<Manifest, "generation" | "parts">,
  ): Promise<void> => {
    for (let part = 0; part < parts; part++) await storage.removeItem(partKey(key, generation, part));
  };

  return {
    name: "unstorage",
    async put(key, body) {
      const generation = randomBytes(6).toString("hex");
      let size = 0;
      let parts = 0;
      let replaced: Manifest | null = null;
      try {
        for await (const part of inParts(body)) {
          size += part.byteLength;
          await storage.setItemRaw(partKey(key, generation, parts++), part);
        }
        replaced = await readManifest(key);
        await storage.setItemRaw(
          metaKey(key),
          Buffer.from(JSON.stringify({ size, parts, generation } satisfies Manifest)),
        );
      } catch (error) {
        await removeParts(key, { generation, parts }).catch(() => {});
        throw error;
      }
      // The new blob is complete, so parts that can't be removed are only waste.
      if (replaced) await removeParts(key, replaced).catch(() => {});
      return { size };
    },
    async get(key) {
      const manifest = await readManifest(key);
      if (!manifest) return null;
      let next = 0;
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            if (next === manifest.parts) return controller.close();
            const part = toBytes(await storage.getItemRaw(partKey(key, manifest.generation, next++)));
            if (!part)
              throw new Error("[form-backend] unstorageBlob: the blob was removed or replaced while it was read.");
            // A copy: a storage in memory hands out the very bytes that it keeps.
            controller.enqueue(new Uint8Array(part));
          },
        },
        { highWaterMark: 0 },
      );
    },
    async remove(key) {
      const manifest = await readManifest(key);
      if (!manifest) return;
      // The manifest goes last, so that a removal that failed half-way can be repeated.
      await removeParts(key, manifest);
      await storage.removeItem(metaKey(key));
    },
    async close() {},
  };
}

/** The stream again in parts of exactly 1 MiB, the last one shorter. */
async function* inParts(body: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  // Not from the pool of Buffers: some drivers store the whole ArrayBuffer of a view.
  let part = Buffer.allocUnsafeSlow(PART_BYTES);
  let filled = 0;
  for await (const chunk of body) {
    for (let from = 0; from < chunk.byteLength; ) {
      const piece = chunk.subarray(from, from + PART_BYTES - filled);
      part.set(piece, filled);
      from += piece.byteLength;
      filled += piece.byteLength;
      if (filled === PART_BYTES) {
        yield part;
        part = Buffer.allocUnsafeSlow(PART_BYTES);
        filled = 0;
      }
    }
  }
  if (filled > 0) {
    const last = Buffer.allocUnsafeSlow(filled);
    part.copy(last, 0, 0, filled);
    yield last;
  }
}

function toBytes(raw: unknown): Uint8Array | null {
  if (raw === null || raw === undefined) return null;
  if (raw instanceof Uint8Array) return raw;
  if (raw instanceof ArrayBuffer) return new Uint8Array(raw);
  throw new Error("[form-backend] unstorageBlob: the storage returned something other than bytes.", { cause: raw });
}
