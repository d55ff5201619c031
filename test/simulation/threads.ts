/** Work that Node does in threads of its own, in the order of the calls. */
interface Call {
  isDone: boolean;
  release(): void;
}
const calls: Call[] = [];

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
const subtle = Object.getPrototypeOf(crypto.subtle) as Record<string, Method>;
for (const name of named) {
  const native = subtle[name] as Method;
  subtle[name] = function queued(this: unknown, ...args: unknown[]) {
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
const turn = (
  (native) => () =>
    new Promise<void>((resolve) => void native(resolve))
)(setImmediate);

/**
 * Resolves once every promise that can settle by itself has settled. Threads end in an order that no seed decides, so their results
 * are handed over in the order of the calls, and each only once all that the one before it caused has come to rest.
 */
export async function settled(): Promise<void> {
  for (;;) {
    await turn();
    const [first] = calls;
    if (!first) return;
    if (!first.isDone) continue;
    calls.shift();
    first.release();
  }
}
