import { printable } from "../../lib/printable.ts";
import { parseReply } from "./parse-reply.ts";

/** Characters that are read for quotes. */
const MOST = 64 * 1024;
const LINE = 2_000;

/** The new text of a mail, without what it quotes and without a signature; all of it where nothing else is found. */
export async function withoutQuotes(text: string): Promise<string> {
  const whole = printable(text).trim();
  const isLong = whole.length > MOST || whole.split("\n").some((line) => line.length > LINE);
  // The package is asked for in any case, so that one that is missing is noticed by the first mail.
  const fresh = (await parseReply(isLong ? "" : withoutIntroductions(whole))).trim();
  return withoutPhone(fresh) || fresh || whole;
}

/** The time or the year in a line that introduces a quote, in whatever language and order its client writes them. */
const DATED = /\d{1,2}[:.h]\d{2}|\b\d{4}\b/;
const CITED = /^\s*>/;
/** The line above an original that has no marks, which Outlook writes in each language, and the first line of its header. */
const SEPARATOR = /^-{3,20} ?[\p{L}'’ ]{3,40} ?-{3,20}\s*$/u;
const HEADER = /^\p{L}{1,12}\s?: /u;

/**
 * The text without the lines that introduce quotes: at most three, which end with a colon and name a time, right before lines with
 * `>`. The package knows the words of many languages, but takes a sentence that begins with one of them for such a line.
 */
function withoutIntroductions(text: string): string {
  const lines = text.split("\n");
  const isBlank = (at: number): boolean => (lines[at] ?? "").trim() === "";
  const dropped = new Set<number>();
  for (let at = 1; at < lines.length; at++) {
    if (!CITED.test(lines[at] ?? "") || CITED.test(lines[at - 1] ?? "")) continue;
    let last = at - 1;
    while (last > at - 3 && isBlank(last)) last--;
    if (!/:\s*$/.test(lines[last] ?? "") || CITED.test(lines[last] ?? "")) continue;
    let first = last;
    while (first > 0 && first > last - 2 && !isBlank(first - 1) && !DATED.test(lines[first] ?? "")) first--;
    if (!DATED.test(lines[first] ?? "")) continue;
    for (let line = first; line <= last; line++) dropped.add(line);
  }
  const fresh = lines.filter((_, at) => !dropped.has(at));
  const end = fresh.findIndex((line, at) => SEPARATOR.test(line) && HEADER.test(fresh[at + 1] ?? ""));
  return (end > 0 ? fresh.slice(0, end) : fresh).join("\n");
}

/** The last line of mails from phones, in the languages in which their makers have it. */
const PHONE =
  /^(?:(?:Sent|Get Outlook|Von meinem|Gesendet|Hole?n? (?:Sie sich|dir) Outlook|Envoyé|Obtenir Outlook|Télécharger Outlook|Enviado|Obtener Outlook|Inviato|Scarica Outlook|Ottieni Outlook|Verstuurd|Verzonden|Outlook voor|Download Outlook)(?: .{1,60})?)$/;

/** The text without the line of a phone below it; `""` where nothing else is in it. */
function withoutPhone(text: string): string {
  const [above = "", below] = splitLast(text);
  return below !== undefined && PHONE.test(below.trim()) ? above.trim() : text;
}

/** A text at the last empty line in it. */
function splitLast(text: string): [string, string?] {
  const at = text.lastIndexOf("\n\n");
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 2)];
}
