import { createHash } from "node:crypto";

// Lower case, so that two keys stay apart on file systems that ignore case; a separator inside, so that no name is reserved ("con").
const PLAIN = /^[a-z0-9]{1,32}[_-][a-z0-9_-]{1,64}$/;

/**
 * A file name for any key: a plain key itself, like the library's own ids, otherwise its hash. No text of a hostile key gets
 * into it, so no key can name a place outside; a hash contains no separator, so it never equals a plain key.
 */
export function fileName(key: string): string {
  // UTF-16, because UTF-8 would make all lone surrogates one key.
  return PLAIN.test(key) ? key : createHash("sha256").update(Buffer.from(key, "utf16le")).digest("hex");
}
