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

const MAX_FRAMES = 5;

/**
 * An error without its text, for the log: its name, its code and the places in the code. The text of what others threw may
 * repeat what they were given. Our own text stays: it begins with `[form-backend]`.
 */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return `threw a ${typeof error}`;
  if (error.message.startsWith("[form-backend] ")) return error.message;
  const { name, message, stack = "" } = error;
  const code: unknown = "code" in error ? error.code : undefined;
  const words = [name, code].filter((word) => typeof word === "string" && /^\w{1,60}$/.test(word));
  const rest = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  const frames = rest.split("\n").filter((line) => /^\s+at \S.{0,300}:\d+:\d+\)?$/.test(line));
  return [words.join(" ") || "Error", ...frames.slice(0, MAX_FRAMES)].join("\n");
}
