import { stepwise } from "../../lib/turn.ts";
import { unescapedCss } from "./css.ts";
import { createWeigher } from "./svg-weight.ts";

/** The size of an SVG, or the reason for refusing it, as the end of a sentence that begins with its name. */
export type Scanned = { readonly width: number | null; readonly height: number | null } | { readonly fault: string };

/**
 * Refuses an SVG with anything that runs, loads from elsewhere or shows HTML. The grammar is XML without a document type, and
 * stricter where browsers differ, so that browsers can't read it in another way. In slices of time.
 */
export async function scanSvg(xml: string, team_id?: string): Promise<Scanned> {
  try {
    return await stepwise(scanSteps(xml), team_id);
  } catch (error) {
    if (error instanceof Refused) return { fault: error.message };
    throw error;
  }
}

class Refused extends Error {}

const refuse = (fault: string): never => {
  throw new Refused(fault);
};
const malformed = (at: number): never => refuse(`is not well-formed at character ${at + 1}`);

const NAME = /[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?/y;
const SPACE = /\s*/y;
/** XML 1.0, 2.2: references to these are invalid too. */
const NOT_XML = /[^\t\n\r\u0020-\ufffd]/;

/** Nodes of one step, about a millisecond. */
const STEP = 100;
/** Style in all, in characters: each of them is read several times in one turn. */
const MAX_STYLE = 256 * 1024;

/** The steps of `scanSvg`. Throws `Refused`. */
export function* scanSteps(xml: string): Generator<void, Scanned> {
  let at = 0;
  let nodes = 0;
  let styled = 0;
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(xml) ?? [];
    if (found === undefined) return null;
    at += found.length;
    return found;
  };
  // Text and values may be megabytes long: an expression keeps each character of them on a stack, which can overflow.
  const takeText = (): string => {
    const stop = xml.indexOf("<", at);
    const text = xml.slice(at, stop < 0 ? xml.length : stop);
    at += text.length;
    return text;
  };
  const takeBetween = (start: string, end: string): string => {
    const stop = xml.indexOf(end, at + start.length);
    const inner = stop < 0 ? malformed(at) : xml.slice(at + start.length, stop);
    at = stop + end.length;
    return inner;
  };
  const open: string[] = [];
  // A style sheet is all the text of its element, across any nodes in between.
  const styles: string[] = [];
  const keepStyle = (text: string): void => {
    if (local(open.at(-1) ?? "") === "style") styles.push((styles.pop() ?? "") + text);
  };
  const weigher = createWeigher();
  let size: { width: number | null; height: number | null } | null = null;

  const control = xml.search(NOT_XML);
  if (control >= 0) malformed(control);
  yield;

  while (at < xml.length) {
    const start = at;
    if (++nodes % STEP === 0) yield;
    const chars = takeText();
    if (chars !== "") {
      if (open.length === 0 && chars.trim() !== "") malformed(start);
      keepStyle(decoded(chars));
    } else if (xml.startsWith("<!--", at)) {
      if (takeBetween("<!--", "-->").includes("--")) malformed(start);
    } else if (xml.startsWith("<![CDATA[", at)) {
      if (open.length === 0) malformed(start);
      keepStyle(takeBetween("<![CDATA[", "]]>"));
    } else if (xml.startsWith("<!", at)) {
      refuse("holds a document type; take <!DOCTYPE …> out of it");
    } else if (xml.startsWith("<?", at)) {
      refuse("holds a processing instruction");
    } else if (xml.startsWith("</", at)) {
      at += 2;
      const name = take(NAME);
      take(SPACE);
      if (name === null || name !== open.pop() || xml[at++] !== ">") return malformed(start);
      if (local(name) === "style") {
        const css = styles.pop() ?? "";
        styled += css.length;
        if (styled > MAX_STYLE) refuse("holds too much style");
        checkStyle(css);
        weigher.style(css);
      }
      weigher.close();
    } else {
      at += 1;
      const name = take(NAME) ?? malformed(start);
      const attributes = takeAttributes(start);
      if (open.length === 0) {
        if (size || local(name) !== "svg") malformed(start);
        size = { width: pixels(attributes.get("width")), height: pixels(attributes.get("height")) };
      }
      // HTML reads the text of these in its own way once the image is pasted into a page.
      if (TEXT_ONLY.has(local(open.at(-1) ?? ""))) refuse(`holds markup inside <${open.at(-1)}>`);
      checkElement(local(name), attributes);
      weigher.open(local(name), attributes);
      if (xml[at] === "/") {
        at += 1;
        weigher.close();
      } else {
        open.push(name);
        if (local(name) === "style") styles.push("");
      }
      if (xml[at++] !== ">") malformed(start);
    }
  }
  if (open.length > 0 || !size) return malformed(at);
  const fault = yield* weigher.faultSteps();
  return fault === null ? size : refuse(fault);

  function takeAttributes(start: number): Map<string, string> {
    const attributes = new Map<string, string>();
    for (;;) {
      const gap = take(SPACE);
      const name = take(NAME);
      if (name === null) return attributes;
      take(SPACE);
      if (gap === "" || xml[at++] !== "=" || attributes.has(name)) malformed(start);
      take(SPACE);
      const quote = xml[at] === '"' || xml[at] === "'" ? xml.charAt(at) : malformed(start);
      const value = takeBetween(quote, quote);
      if (value.includes("<")) malformed(start);
      attributes.set(name, decoded(value));
    }
  }
}

const local = (name: string): string => name.slice(name.indexOf(":") + 1).toLowerCase();
const pixels = (value: string | undefined): number | null => {
  const number = /^\s*(\d*\.?\d+)(?:px)?\s*$/.exec(value ?? "")?.[1];
  return number === undefined ? null : Math.round(Number(number));
};

const ENTITIES = new Map(Object.entries({ lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }));

/** Text with its references resolved; there are no others without a document type. */
function decoded(text: string): string {
  return text.replace(/&([^;&]{0,32};)?/g, (reference, body: string | undefined) => {
    const name = body?.slice(0, -1) ?? "";
    const digits = /^#x([0-9a-f]{1,6})$/i.exec(name)?.[1] ?? /^#(\d{1,7})$/.exec(name)?.[1];
    if (digits === undefined)
      return ENTITIES.get(name) ?? refuse(`holds the unknown reference ${reference.slice(0, 20)}`);
    const code = Number.parseInt(digits, name.startsWith("#x") || name.startsWith("#X") ? 16 : 10);
    return code <= 0x10ffff ? String.fromCodePoint(code) : refuse("holds a reference to no character");
  });
}

const RUNS_OR_EMBEDS = new Set(
  "script foreignobject iframe frame embed object applet audio video canvas source track link meta base html body form handler listener".split(
    " ",
  ),
);
const TEXT_ONLY = new Set(["style", "title", "desc"]);
const XHTML = "http://www.w3.org/1999/xhtml";

function checkElement(name: string, attributes: ReadonlyMap<string, string>): void {
  if (RUNS_OR_EMBEDS.has(name)) refuse(`holds the element <${name}>`);
  for (const [full, value] of attributes) {
    const fault = attributeFault(full, value);
    if (fault !== null) refuse(fault);
  }
}

/** From this length on, a value is a list of numbers or an image: all others are read several times. */
const LONG = 64 * 1024;
/** Attributes of numbers: lines and their animation. */
const PLAIN = new Set("d points values keytimes keysplines path tablevalues x y dx dy rotate".split(" "));
const LONG_IMAGE = /^data:image\/(png|jpe?g|gif|webp);base64,/;
const NOT_BASE64 = /[^\w+/=\s]/;

const isLongImage = (value: string): boolean => {
  const start = LONG_IMAGE.exec(value)?.[0];
  return start !== undefined && !NOT_BASE64.test(value.slice(start.length));
};

/** Why an attribute may not stay, null where it may. */
export function attributeFault(full: string, value: string): string | null {
  const attribute = local(full);
  if (value.length > LONG) {
    const isPlain = attribute === "href" ? isLongImage(value) : PLAIN.has(attribute) && !/[:(@\\]/.test(value);
    return isPlain ? null : `has too long a value of ${full}`;
  }
  const packed = value.replace(/[\s\p{Cc}]+/gu, "");
  if (attribute.startsWith("on")) return `has the attribute ${full}`;
  if (full === "xml:base") return "holds the attribute xml:base";
  if (packed === XHTML) return "holds HTML";
  // An animation can set a value that must not be written directly.
  if (attribute === "attributename" && /^(on|href$|src$)/.test(local(packed))) return `animates the attribute ${value}`;
  if (/(?<!\w)((java|vb)script:|data:(?!image\/(png|jpe?g|gif|webp)[;,]))/i.test(packed))
    return `has a ${full} that may run`;
  if ((attribute === "href" || attribute === "src") && !isInside(packed))
    return `links to ${value.trim().slice(0, 60)}`;
  return styleFault(value);
}

function checkStyle(css: string): void {
  const fault = styleFault(css);
  if (fault !== null) refuse(fault);
}

/** Style may refer to the image itself only. */
function styleFault(css: string): string | null {
  const plain = unescapedCss(css);
  if (/@import|expression\(|-moz-binding|image-set\(/i.test(plain)) return "holds style that loads or runs something";
  for (const [, target = ""] of plain.matchAll(/url\(\s*["']?([^"')]*)/gi)) {
    if (!isInside(target.replace(/[\s\p{Cc}]+/gu, ""))) return `loads ${target.trim().slice(0, 60)}`;
  }
  return null;
}

/** A part of the same image, or a raster image within it. */
const isInside = (target: string): boolean =>
  target === "" || target.startsWith("#") || /^data:image\/(png|jpe?g|gif|webp)[;,]/i.test(target);
