import type { Core } from "../../core/core.ts";
import { ApiError } from "../../errors.ts";
import { inTime } from "../../lib/in-time.ts";
import { traceOf } from "../../lib/message.ts";
import { packages } from "../../lib/packages.ts";

/** A data key as it is stored: wrapped, and by which of the host's keys; `""` is the host's own `wrap`. */
export interface Wrapped {
  readonly by: string;
  readonly wrapped: string;
}

/** A key management service that does not respond must not delay a post, or a page of a list, for longer. */
const ANSWER_MS = 5_000;
const KEY_BYTES = 32;

/** By which of the host's keys data keys are wrapped now; null without the option `encryption`. */
export function wrappedBy({ options: { encryption } }: Core): string | null {
  if (!encryption) return null;
  return "keys" in encryption ? (encryption.keys[0]?.id ?? null) : "";
}

/** Wraps a data key, and sees to it that it can be unwrapped again before anything is sealed with it. Throws `unavailable`. */
export const wrap = (core: Core, key: Uint8Array): Promise<Wrapped> =>
  guarded(core, "wrap", async () => {
    const made = await wrapOnce(core, key);
    if (!Buffer.from(await unwrapOnce(core, made)).equals(key))
      throw new Error("[form-backend] `unwrap` does not return the original input of `wrap`");
    return made;
  });

/** A data key, unwrapped. Throws `unavailable`. */
export const unwrap = (core: Core, wrapped: Wrapped): Promise<Uint8Array> =>
  guarded(core, "unwrap", () => unwrapOnce(core, wrapped));

async function wrapOnce({ options: { encryption } }: Core, key: Uint8Array): Promise<Wrapped> {
  if (!encryption) throw new Error("[form-backend] it is not set, and a form encrypts fields");
  if (!("keys" in encryption)) return { by: "", wrapped: toText(await encryption.wrap(key)) };
  const [first] = encryption.keys;
  if (!first) throw new Error("[form-backend] it has no keys");
  const header = { alg: "dir", enc: "A256GCM", kid: first.id };
  const { CompactEncrypt } = await packages.jose();
  return {
    by: first.id,
    wrapped: await new CompactEncrypt(key).setProtectedHeader(header).encrypt(bytesOf(first.key)),
  };
}

async function unwrapOnce({ options: { encryption } }: Core, { by, wrapped }: Wrapped): Promise<Uint8Array> {
  const key = await (by === "" ? unwrapByHost() : unwrapByKey());
  if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES)
    throw new Error(`[form-backend] \`unwrap\` must return ${KEY_BYTES} bytes`);
  return key;

  async function unwrapByHost(): Promise<Uint8Array> {
    if (encryption && "unwrap" in encryption) return encryption.unwrap(Buffer.from(wrapped, "base64url"));
    throw new Error("[form-backend] fields were encrypted with `wrap`, but there is no `unwrap`");
  }

  async function unwrapByKey(): Promise<Uint8Array> {
    const known = encryption && "keys" in encryption ? encryption.keys.find(({ id }) => id === by) : undefined;
    if (!known)
      throw new Error(`[form-backend] fields were encrypted under the key "${by}", which \`keys\` does not have`);
    const { compactDecrypt } = await packages.jose();
    return (await compactDecrypt(wrapped, bytesOf(known.key))).plaintext;
  }
}

/** The caller may try again after any fault of the host's code: nothing is sealed, and nothing is lost. */
async function guarded<T>({ options: { logger } }: Core, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await inTime(ANSWER_MS, work);
  } catch (cause) {
    logger.error(`option \`encryption\`: ${name}: ${traceOf(cause)}`);
    throw new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
  }
}

function toText(bytes: unknown): string {
  if (bytes instanceof Uint8Array && bytes.length > 0) return Buffer.from(bytes).toString("base64url");
  throw new Error("[form-backend] `wrap` must return bytes");
}

const bytesOf = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, "base64"));
