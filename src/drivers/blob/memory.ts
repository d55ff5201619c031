import type { BlobDriver } from "./types.ts";

/** Keeps blobs in memory, for tests and first steps; they are gone with the process. */
export function memoryBlob(): BlobDriver {
  const blobs = new Map<string, readonly Uint8Array[]>();
  return {
    name: "memory",
    async put(key, body) {
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of body) {
        // A copy, because the sender may use its buffer again.
        chunks.push(new Uint8Array(chunk));
        size += chunk.byteLength;
      }
      blobs.set(key, chunks);
      return { size };
    },
    async get(key) {
      const chunks = blobs.get(key);
      if (!chunks) return null;
      let next = 0;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          const chunk = chunks[next++];
          if (chunk) controller.enqueue(new Uint8Array(chunk));
          else controller.close();
        },
      });
    },
    async remove(key) {
      blobs.delete(key);
    },
    async close() {},
  };
}
