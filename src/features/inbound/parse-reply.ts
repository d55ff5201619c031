import { createContext, runInContext } from "node:vm";

/** Time for the package, whose patterns may take long on a text that is made for it. */
const MOST_MS = 250;

/** The new text of a mail, by the package for it. All of the text where it takes too long. Throws an Error that says how to install it. */
export const parseReply = async (text: string): Promise<string> => {
  const Parser = await parser();
  try {
    const parse = (): string => new Parser().parseReply(text);
    // A pattern that runs for long can be ended only from outside of it.
    return String(runInContext("parse()", createContext({ parse }), { timeout: MOST_MS })).trim();
  } catch {
    return text;
  }
};

async function parser() {
  // Not `.catch()`: in a `try`, bundlers such as Turbopack take the package for optional.
  try {
    return (await import("email-reply-parser")).default;
  } catch (cause) {
    const message = "[form-backend] inbound mail needs the package email-reply-parser: npm install email-reply-parser";
    throw new Error(message, { cause });
  }
}
