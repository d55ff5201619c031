/** A result may have 10,000 tokens, above which clients warn or cut. Three bytes of JSON are a token at least. */
const MAX_BYTES = 30_000;
/** For the fence, and what pages add. */
const RESERVED = 600;

export const ROOM = MAX_BYTES - RESERVED;

/** Bytes of a value in the text of a result. */
export function weightOf(value: unknown): number {
  const json = JSON.stringify(value) ?? "";
  let bytes = Buffer.byteLength(json);
  // A `<` is written as six characters.
  for (let at = json.indexOf("<"); at >= 0; at = json.indexOf("<", at + 1)) bytes += 5;
  return bytes;
}

export const fits = (value: unknown): boolean => weightOf(value) <= ROOM;

/** The number of entries, from the start, that fit beside `others`. */
export function countThatFits(entries: readonly unknown[], others: number): number {
  let left = ROOM - others;
  const at = entries.findIndex((entry) => {
    left -= weightOf(entry) + 1;
    return left < 0;
  });
  return at < 0 ? entries.length : at;
}
