import { createCipheriv, createDecipheriv, hkdfSync } from "node:crypto";
import type { DataKey } from "./data-keys.ts";
import { bound } from "./sealing.ts";

const CIPHER = "aes-256-gcm";
/** Bytes of a file that are sealed at once: no byte is returned before it is verified. */
const CHUNK = 64 * 1024;
const TAG = 16;

/**
 * Seals the bytes of a file as they pass, in chunks of AES-256-GCM under a key of its own. Each chunk has its number, and the
 * last one is marked, so no chunk can be left out, moved or cut off.
 */
export function sealBytes(key: DataKey, fileId: string): TransformStream<Uint8Array, Uint8Array> {
  const seal = cipherOf(key, fileId);
  return chunked(CHUNK, (chunk, at, isLast) => {
    const cipher = createCipheriv(CIPHER, seal.key, seal.iv(at, isLast)).setAAD(seal.aad);
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
  });
}

/** Opens them again. Errors where they were changed or cut off. */
export function openBytes(key: DataKey, fileId: string): TransformStream<Uint8Array, Uint8Array> {
  const seal = cipherOf(key, fileId);
  return chunked(CHUNK + TAG, (chunk, at, isLast) => {
    if (chunk.length < TAG) throw new Error(`the encrypted file ${fileId} is truncated`);
    const decipher = createDecipheriv(CIPHER, seal.key, seal.iv(at, isLast), { authTagLength: TAG });
    decipher.setAAD(seal.aad).setAuthTag(chunk.subarray(-TAG));
    return Buffer.concat([decipher.update(chunk.subarray(0, -TAG)), decipher.final()]);
  });
}

function cipherOf({ id, bytes }: DataKey, fileId: string) {
  const aad = bound(id, ["file", fileId]);
  return {
    aad,
    key: new Uint8Array(hkdfSync("sha256", bytes, "form-backend", `file:${fileId}`, 32)),
    iv(at: number, isLast: boolean): Buffer {
      const iv = Buffer.alloc(12);
      iv.writeUIntBE(at, 5, 6);
      iv.writeUInt8(isLast ? 1 : 0, 11);
      return iv;
    },
  };
}

/** Hands bytes on in chunks of one size, of which only the last may be shorter; there is always a last one. */
function chunked(
  size: number,
  turn: (chunk: Buffer, at: number, isLast: boolean) => Uint8Array,
): TransformStream<Uint8Array, Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  let at = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      waiting.push(bytes);
      length += bytes.length;
      // More than one chunk, or the last one would not be known as such.
      if (length <= size) return;
      const all = Buffer.concat(waiting);
      let start = 0;
      for (; length - start > size; start += size) {
        controller.enqueue(turn(all.subarray(start, start + size), at++, false));
      }
      waiting = [all.subarray(start)];
      length -= start;
    },
    flush(controller) {
      controller.enqueue(turn(Buffer.concat(waiting), at, true));
    },
  });
}
