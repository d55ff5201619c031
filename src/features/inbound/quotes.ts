import { printable } from "../mail/plain.ts";
import { parseReply } from "./parse-reply.ts";

/** Characters that are read for quotes. */
const MOST = 64 * 1024;
const LINE = 2_000;

/** The new text of a mail, without what it quotes and without a signature; all of it where nothing else is found. */
export async function withoutQuotes(text: string): Promise<string> {
  const whole = printable(text).trim();
  const isLong = whole.length > MOST || whole.split("\n").some((line) => line.length > LINE);
  // The package is asked for in any case, so that one that is missing is noticed by the first mail.
  const fresh = await parseReply(isLong ? "" : whole);
  return fresh === "" ? whole : fresh;
}
