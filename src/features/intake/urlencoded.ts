import type { FieldCollector } from "./fields.ts";

const [PLUS, PERCENT, SPACE] = [43, 37, 32];

/**
 * Parses "application/x-www-form-urlencoded" as in the URL standard, in half the time of `URLSearchParams`. Throws the errors
 * of `fields.add`.
 */
export function parseUrlencoded(bytes: Buffer, fields: FieldCollector): void {
  // In a copy, for the bytes may be the host's.
  const spaced = Buffer.from(bytes);
  let ascii = true;
  for (let i = 0; i < spaced.length; i++) {
    const byte = spaced[i] as number;
    if (byte === PLUS) spaced[i] = SPACE;
    else if (byte > 127) ascii = false;
  }
  const text = spaced.toString("latin1");
  // The next `=`, searched for once: fields without one, each searching to the end of the text, would take quadratic time.
  let equals = -1;
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    end = found(text.indexOf("&", start), text);
    if (end === start) continue;
    if (equals < start) equals = found(text.indexOf("=", start), text);
    const middle = Math.min(equals, end);
    fields.add(decoded(text.slice(start, middle), ascii), decoded(text.slice(middle + 1, end), ascii));
  }
}

const found = (at: number, text: string): number => (at < 0 ? text.length : at);

/** Decodes percent-encoded bytes, with V8's own decoder where it can. */
function decoded(latin1: string, ascii: boolean): string {
  if (ascii) {
    if (!latin1.includes("%")) return latin1;
    try {
      return decodeURIComponent(latin1);
    } catch {
      // It takes no percent sign that encodes nothing, which stays, and nothing but UTF-8, the rest of which is replaced.
    }
  }
  const bytes = Buffer.from(latin1, "latin1");
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    const code = bytes[i] === PERCENT ? 16 * digit(bytes[i + 1]) + digit(bytes[i + 2]) : Number.NaN;
    bytes[length++] = Number.isNaN(code) ? (bytes[i] as number) : code;
    if (!Number.isNaN(code)) i += 2;
  }
  return bytes.toString("utf8", 0, length);
}

/** The value of a hexadecimal digit, NaN for any other character. */
function digit(code = 0): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : Number.NaN;
}
