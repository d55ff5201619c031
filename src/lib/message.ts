import { LateError } from "./in-time.ts";

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

/** An error with its text, for the log. Use `traceOf` where what failed had been given anything of a visitor's. */
export const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** The message of what was thrown, which need not be an Error. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const MAX_FRAMES = 5;
const OURS = "[form-backend] ";

/**
 * An error without its text, for the log: its name, its code and the places in the code. The text of what others threw may
 * repeat what they were given. Our own text stays: it begins with `[form-backend]`. So does Node's about a system call.
 */
export function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return `threw a ${typeof error}`;
  if (error.message.startsWith(OURS)) return error.message.slice(OURS.length);
  if (error instanceof LateError) return error.message;
  const ofSystem = systemText(error);
  if (ofSystem !== undefined) return ofSystem;
  const { name, message, stack = "" } = error;
  const code: unknown = "code" in error ? error.code : undefined;
  const words = [name, code].filter((word) => typeof word === "string" && /^\w{1,60}$/.test(word));
  const rest = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : "";
  const frames = rest.split("\n").filter((line) => /^\s+at \S.{0,300}:\d+:\d+\)?$/.test(line));
  return [words.join(" ") || "Error", ...frames.slice(0, MAX_FRAMES)].join("\n");
}

/** Text that Node writes for a system call, such as `ENOSPC: no space left on device, write`; undefined for any other error. */
function systemText(error: Error): string | undefined {
  const { errno, code, syscall, message } = error as NodeJS.ErrnoException;
  const isCall = typeof errno === "number" && typeof code === "string" && typeof syscall === "string";
  const begins = isCall && (message.startsWith(`${code}: `) || message.startsWith(`${syscall} ${code}`));
  return begins ? safeMessage(message) : undefined;
}
