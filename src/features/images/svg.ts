import { isUtf8 } from "node:buffer";
import { ownTurn } from "../../lib/turn.ts";
import { cleanSvg, TooDeep } from "./svg-clean.ts";
import { scanSvg } from "./svg-scan.ts";

/** A cleaned SVG, or the reason for refusing it, as the end of a sentence that begins with its name. */
export type Svg =
  | { readonly bytes: Uint8Array; readonly width: number | null; readonly height: number | null }
  | { readonly fault: string };

/** Tags, attributes and references together: a drawing of 5 MB is mostly numbers, and each of these costs the host time. */
const MAX_MARKS = 20_000;

/**
 * Reads an SVG and removes anything that runs, loads from elsewhere or is not a drawing. The result is then checked as if it
 * had not been cleaned, so anything that the sanitiser missed is refused. It takes turns with other teams. Null if the bytes are not XML that begins as an SVG.
 */
export async function readSvg(bytes: Uint8Array, team_id?: string): Promise<Svg | null> {
  const start = Buffer.from(bytes.subarray(0, 256)).toString("latin1");
  if (!/^(\xef\xbb\xbf)?\s*<(\?xml|!--|!DOCTYPE|([\w.-]+:)?svg)/i.test(start)) return null;
  if (!isUtf8(bytes)) return { fault: "is not encoded in UTF-8" };
  const xml = new TextDecoder().decode(bytes);
  const declared = /^\s*<\?xml\s[^?>]*?encoding\s*=\s*["']([^"']*)/.exec(xml)?.[1] ?? "utf-8";
  if (declared.toLowerCase() !== "utf-8") return { fault: "is not encoded in UTF-8" };
  // Before anything parses it: entities can grow without bound, and name files.
  if (/<!(ENTITY|ELEMENT|ATTLIST|NOTATION)/i.test(xml)) {
    return { fault: "declares entities; export it without the data of its editor" };
  }
  const root = rootOf(xml);
  if (root === null) return { fault: "is not well-formed: its first element is not <svg>" };
  if (marks(xml) > MAX_MARKS) return { fault: `has more than ${MAX_MARKS} tags and attributes` };

  await ownTurn(team_id);
  const clean = await cleanSvg(xml, root.prefix, team_id).catch((error: unknown) => {
    if (error instanceof TooDeep) return null;
    throw error;
  });
  if (clean === null) return { fault: "is nested too deeply" };
  const scanned = await scanSvg(clean, team_id);
  return "fault" in scanned ? scanned : { ...scanned, bytes: Buffer.from(clean) };
}

const SPACE = /\s*/y;
/** The first and the last characters of nodes that may come before the root. */
const PROLOG = [
  ["<!--", "-->"],
  ["<?", "?>"],
  ["<!", ">"],
] as const;

/** The prefix of the root with its colon; null if the root is another element. HTML that contains an SVG does not count. */
function rootOf(xml: string): { prefix: string } | null {
  let at = 0;
  for (;;) {
    SPACE.lastIndex = at;
    at += SPACE.exec(xml)?.[0].length ?? 0;
    const end = PROLOG.find(([start]) => xml.startsWith(start, at))?.[1];
    if (end === undefined) break;
    if (end === ">" && !/^<!DOCTYPE\s+([\w.-]+:)?svg[\s>]/.test(xml.slice(at, at + 100))) return null;
    const stop = xml.indexOf(end, at);
    if (stop < 0) return null;
    at = stop + end.length;
  }
  const found = /^<([A-Za-z_][\w.-]*:)?svg[\s/>]/.exec(xml.slice(at, at + 100));
  return found && { prefix: found[1] ?? "" };
}

function marks(xml: string): number {
  let count = 0;
  for (let i = 0; i < xml.length; i++) {
    const code = xml.charCodeAt(i);
    if (code === 0x3c || code === 0x3d || code === 0x26) count++;
  }
  return count;
}
