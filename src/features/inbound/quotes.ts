import { createContext, runInContext } from "node:vm";
import { printable } from "../mail/plain.ts";

/** Characters that are read for quotes, and time for it: the package's patterns may take long on a text that is made for it. */
const MOST = 64 * 1024;
const LINE = 2_000;
const MOST_MS = 250;

/** The new text of a mail, without what it quotes and without a signature; all of it where nothing else is found. */
export async function withoutQuotes(text: string): Promise<string> {
  const whole = printable(text).trim();
  const Parser = await parser();
  if (whole.length > MOST || whole.split("\n").some((line) => line.length > LINE)) return whole;
  try {
    const parse = (): string => new Parser().parseReply(whole);
    // A pattern that runs for long can be ended only from outside of it.
    const fresh = String(runInContext("parse()", createContext({ parse }), { timeout: MOST_MS })).trim();
    return fresh === "" ? whole : fresh;
  } catch {
    return whole;
  }
}

async function parser() {
  // Not `.catch()`: in a `try`, bundlers such as Turbopack take the package for optional.
  try {
    return (await import("email-reply-parser")).default;
  } catch (cause) {
    throw new Error(
      "[form-backend] inbound mail needs the package email-reply-parser: npm install email-reply-parser",
      {
        cause,
      },
    );
  }
}
