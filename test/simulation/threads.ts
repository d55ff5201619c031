import { createCipheriv, createDecipheriv, createHash } from "real:node:crypto";
import { eachSeed } from "./globals.ts";

/** Work that Node does in threads of its own, in the order of the calls. */
interface Call {
  isDone: boolean;
  release(): void;
}
/** One list for all bundles of a process, since they share what is wrapped below. */
const CALLS = Symbol.for("form-backend simulation: calls");
const shared = globalThis as { [CALLS]?: Call[] };
const isWrapped = shared[CALLS] !== undefined;
const calls = shared[CALLS] ?? [];
shared[CALLS] = calls;
// Their callers belong to a world that has ended, and would go on in the next one.
eachSeed(() => {
  calls.length = 0;
});

const named = [
  "encrypt",
  "decrypt",
  "sign",
  "verify",
  "digest",
  "generateKey",
  "deriveKey",
  "deriveBits",
  "importKey",
  "exportKey",
  "wrapKey",
  "unwrapKey",
];

type Method = (...args: unknown[]) => Promise<unknown>;

/** A key that is used without threads, which would cost more than all else that a seed does. */
interface PlainKey {
  readonly [Symbol.toStringTag]: "CryptoKey";
  readonly raw: Uint8Array;
  readonly type: "secret" | "private";
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string; readonly length: number } & Readonly<Record<string, unknown>>;
  readonly usages: readonly string[];
}
/** Signs the tokens that the sheet takes unread. */
const RSA = "RSASSA-PKCS1-v1_5";
interface Gcm {
  readonly name: string;
  readonly iv: Uint8Array;
  readonly additionalData?: Uint8Array;
}
const isPlain = (key: unknown): key is PlainKey => typeof key === "object" && key !== null && "raw" in key;
const nameOf = (algorithm: unknown): string =>
  typeof algorithm === "string" ? algorithm : String((algorithm as { name?: string } | null)?.name);

/** The same as the native ones, in the caller's own thread. Undefined where those have to do it. */
const plain: Readonly<Record<string, (...args: never[]) => unknown>> = {
  importKey(format: string, bytes: Uint8Array, algorithm: unknown, extractable: boolean, usages: string[]) {
    const name = nameOf(algorithm);
    const isAes = format === "raw" && name === "AES-GCM";
    if (!isAes && !(format === "pkcs8" && name === RSA)) return undefined;
    const raw = Uint8Array.from(bytes);
    const key: PlainKey = {
      [Symbol.toStringTag]: "CryptoKey",
      raw,
      type: isAes ? "secret" : "private",
      extractable,
      algorithm: isAes
        ? { name, length: 8 * raw.length }
        : { name, length: 2_048, modulusLength: 2_048, hash: { name: "SHA-256" } },
      usages,
    };
    return key;
  },
  sign(_: unknown, key: unknown, data: Uint8Array) {
    return isPlain(key) && key.algorithm.name === RSA
      ? exactly(Buffer.concat(Array.from({ length: 8 }, () => createHash("sha256").update(data).digest())))
      : undefined;
  },
  encrypt({ iv, additionalData }: Gcm, key: unknown, data: Uint8Array) {
    if (!isPlain(key)) return undefined;
    const cipher = createCipheriv(`aes-${key.algorithm.length}-gcm` as "aes-256-gcm", key.raw, iv);
    if (additionalData) cipher.setAAD(additionalData);
    return exactly(Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]));
  },
  decrypt({ iv, additionalData }: Gcm, key: unknown, data: Uint8Array) {
    if (!isPlain(key)) return undefined;
    const decipher = createDecipheriv(`aes-${key.algorithm.length}-gcm` as "aes-256-gcm", key.raw, iv);
    if (additionalData) decipher.setAAD(additionalData);
    decipher.setAuthTag(data.subarray(-16));
    return exactly(Buffer.concat([decipher.update(data.subarray(0, -16)), decipher.final()]));
  },
};
const exactly = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer;

const subtle = Object.getPrototypeOf(crypto.subtle) as Record<string, Method>;
for (const name of isWrapped ? [] : named) {
  const native = subtle[name] as Method;
  subtle[name] = function queued(this: unknown, ...args: unknown[]) {
    try {
      const done = plain[name]?.(...(args as never[]));
      if (done !== undefined) return Promise.resolve(done);
    } catch (error) {
      return Promise.reject(error);
    }
    const result = native.apply(this, args);
    return new Promise((resolve, reject) => {
      const call: Call = { isDone: false, release() {} };
      calls.push(call);
      const done = (release: () => void): void => void Object.assign(call, { release, isDone: true });
      result.then(
        (value) => done(() => resolve(value)),
        (error: unknown) => done(() => reject(error)),
      );
    });
  };
}

/** The loop's own turn: the time of the simulation is put in the place of the global one. */
const soon = setImmediate;

/**
 * Settles all promises that can settle by themselves, as Node does between two timers, but without a turn of its loop, which takes a
 * tenth of the time of a seed. Does nothing while promises are being settled, so it is called from a turn of the loop alone.
 */
const settle = (process as unknown as { _tickCallback(): void })._tickCallback;

/**
 * Calls `step` until it answers false, each time once all that the last step caused has come to rest. Threads end in an order that
 * no seed decides, so their results are handed over in the order of the calls, and each only once all that the one before it caused
 * has come to rest.
 */
export function inTurns(step: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const turn = (): void => {
      try {
        for (;;) {
          settle();
          const [first] = calls;
          if (first && !first.isDone) {
            soon(turn);
            return;
          }
          if (first) {
            calls.shift();
            first.release();
          } else if (!step()) {
            resolve();
            return;
          }
        }
      } catch (error) {
        reject(error as Error);
      }
    };
    soon(turn);
  });
}
