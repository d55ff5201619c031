import { ApiError } from "../errors.ts";

/**
 * Values of one JSON text, counted by the commas and brackets outside of strings. No request needs half as many, and the engine
 * takes half a second for some texts of a million: for deep lists, and for names that look like large numbers.
 */
const MAX_VALUES = 20_000;

const [QUOTE, BACKSLASH, COMMA, LIST, OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];

/** Bytes as JSON text in UTF-8. Throws `invalid_parameter` without `param`, and `payload_too_large` for too many values. */
export function parseJson(bytes: Buffer): unknown {
  assertFewValues(bytes);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new ApiError("invalid_parameter", { message: "The body is not valid JSON." });
  }
}

/** Throws `payload_too_large` for a text that would take long to parse. It is to be called before anything parses it. */
export function assertFewValues(bytes: Buffer): void {
  // A shorter text can't hold more.
  if (bytes.length <= MAX_VALUES) return;
  let values = 0;
  let inText = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (inText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if ((byte === COMMA || byte === LIST || byte === OBJECT) && ++values > MAX_VALUES) {
      throw new ApiError("payload_too_large", {
        message: `JSON of at most ${MAX_VALUES.toLocaleString("en")} values is accepted here.`,
      });
    }
  }
}
