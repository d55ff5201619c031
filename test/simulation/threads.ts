/** Work that Node does in threads of its own. Its time is no seed's to decide, so the simulation waits until it is done. */
let underWay = 0;

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
  subtle[name] = function counted(this: unknown, ...args: unknown[]) {
    underWay++;
    const done = (): void => void underWay--;
    const result = native.apply(this, args);
    result.then(done, done);
    return result;
  };
}

/** The loop's own turn: the time of the simulation is put in the place of the global one. */
const turn = (
  (native) => () =>
    new Promise<void>((resolve) => void native(resolve))
)(setImmediate);

/** Resolves once every promise that can settle by itself has settled. */
export async function settled(): Promise<void> {
  do await turn();
  while (underWay > 0);
}
