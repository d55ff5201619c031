import { z } from "zod";

/** A key of the host's, of which each form's data key is wrapped. */
export interface EncryptionKey {
  /** Names the key in stored data. Never give one name to two keys. */
  id: string;
  /** 32 bytes in base64, such as `openssl rand -base64 32` prints. */
  key: string;
}

/**
 * Keys that wrap the data keys of forms: your own, the first for new ones and the others to open old ones; or the two calls of
 * a key management service. Each call must return within 5 s.
 */
export type EncryptionOptions =
  | {
      /** The keys; the first encrypts, all of them decrypt. */
      keys: EncryptionKey[];
    }
  | {
      /** Encrypts a data key, as with a key service. */
      wrap: (key: Uint8Array) => Promise<Uint8Array>;
      /** Decrypts the result of `wrap`. */
      unwrap: (wrapped: Uint8Array) => Promise<Uint8Array>;
    };

const Call = z.custom<(bytes: Uint8Array) => Promise<Uint8Array>>(
  (value) => typeof value === "function",
  "must be a function",
);
const is32Bytes = (text: string): boolean =>
  /^[A-Za-z0-9+/_-]+={0,2}$/.test(text) && Buffer.from(text, "base64").length === 32;

const Keys = z
  .array(
    z.strictObject({
      id: z.string().regex(/^[A-Za-z0-9._:-]{1,100}$/, "must have 1 to 100 letters, digits or any of . _ : -"),
      key: z.string().refine(is32Bytes, "must be 32 bytes in base64, such as `openssl rand -base64 32` prints"),
    }),
  )
  .min(1, "must have at least one key")
  .refine((keys) => new Set(keys.map(({ id }) => id)).size === keys.length, "must not have two keys with the same id");

export const EncryptionSchema = z
  .strictObject({ keys: Keys.optional(), wrap: Call.optional(), unwrap: Call.optional() })
  .refine(
    ({ keys, wrap, unwrap }) => (keys ? !wrap && !unwrap : wrap !== undefined && unwrap !== undefined),
    "must be { keys: [{ id, key }] } or { wrap, unwrap }",
  );
