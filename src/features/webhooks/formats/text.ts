/** A service's rules for writing and counting text. */
export interface Script {
  /** The text in pieces that mean the same to the service as to the visitor, and of which none may be cut. */
  readonly pieces: (text: string) => Iterable<string>;
  /** The size of a text, as the service counts it. */
  readonly size: (piece: string) => number;
}

/** Text as it is, counted in UTF-16 units. Services that count code points or graphemes count less. */
export const plain: Script = { pieces: (text) => text, size: (piece) => piece.length };

/** Bytes in UTF-8. */
export const bytes = (text: string): number => Buffer.byteLength(text);

const ELLIPSIS = "…";

/** Text within `limit`, which is at least the size of `…`: cut between code points, with `…` for the missing part. */
export function cut(text: string, limit: number, { pieces, size }: Script = plain): string {
  const room = limit - size(ELLIPSIS);
  let written = "";
  let used = 0;
  let kept = "";
  for (const piece of pieces(text)) {
    used += size(piece);
    if (used > limit) return kept.trimEnd() + ELLIPSIS;
    written += piece;
    if (used <= room) kept = written;
  }
  return written;
}

/**
 * A visitor's text without characters that affect other text: control characters, and marks that change direction. Line ends
 * are `\n`, half surrogate pairs are replaced. Empty text becomes a dash, because services refuse empty members.
 */
export function clean(text: string): string {
  const lines = text.replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, "\n");
  const visible = lines.replace(/(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu, "").toWellFormed();
  return visible.trim() || "—";
}

/** The same on one line. */
export const cleanLine = (text: string): string => clean(text).replace(/\s+/g, " ");

/** An invisible character that ends a word, so that no parser joins the text around it. */
export const APART = "\u200b";

/**
 * The text with an invisible character after each `@` that could begin a mention. Email addresses stay as they are, so they can
 * be copied. Mattermost drops `_` before a mention.
 */
export const unmentioned = (text: string): string => text.replace(/(?<![A-Za-z0-9])@/g, `@${APART}`);
