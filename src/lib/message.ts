const MAX_LENGTH = 1_024;

/**
 * Text of a remote peer as one safe line for a log or a response: no control characters, at most 1,024 characters, no half
 * surrogate pair at the end.
 */
export function safeMessage(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
  if (line.length <= MAX_LENGTH) return line.toWellFormed();
  const splitsPair = /[\uD800-\uDBFF]/.test(line.charAt(MAX_LENGTH - 1));
  return line.slice(0, splitsPair ? MAX_LENGTH - 1 : MAX_LENGTH).toWellFormed();
}

/** An error for the log. */
export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** The message of what was thrown, which need not be an Error. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
