import { printable } from "./printable.ts";

const UNSEEN = new Set(["head", "style", "script", "title", "template"]);
const PARAGRAPHS = /^(p|h[1-6]|ul|ol|table|section|article|blockquote|header|footer|hr)$/;
/** Mail programs show no more of the HTML itself, and every turn of the event loop is to be short. */
const MAX_HTML = 256 * 1024;
const LINES = /^(tr|div|li|dt|dd)$/;

/**
 * Converts an HTML mail to text for its plain part: a line for each block, links after their words. A single pass that never
 * looks back, because the markup is a tenant's and may be designed to be slow. The result is text, never markup.
 */
export function textOfHtml(markup: string): string {
  const html = markup.length > MAX_HTML ? markup.slice(0, MAX_HTML).toWellFormed() : markup;
  // Only letters that stay one: a capital I with a dot becomes two, and the places after it would be others.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  let out = "";
  let lineEnded = true;
  let link: { url: string; text: string } | null = null;

  for (let at = 0; at < html.length; ) {
    const open = html.indexOf("<", at);
    if (open === -1) {
      text(html.slice(at));
      break;
    }
    if (open > at) text(html.slice(at, open));
    const name = /^\/?([a-z][a-z0-9]*)/.exec(lower.slice(open + 1, open + 20))?.[1];
    if (html.startsWith("<!--", open)) at = behind("-->", open + 4);
    else if (name === undefined && !/^[!?/]/.test(lower.charAt(open + 1))) {
      add("<");
      at = open + 1;
    } else {
      const end = behind(">", open);
      if (name) tag(name, html.slice(open, end));
      at = name && UNSEEN.has(name) && lower.charAt(open + 1) !== "/" ? behind(`</${name}`, end, 0) : end;
    }
  }
  return `${out}${html.length < markup.length ? "\n…" : ""}`
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

  function behind(mark: string, from: number, length = mark.length): number {
    const found = lower.indexOf(mark, from);
    return found === -1 ? html.length : found + length;
  }

  function text(markup: string): void {
    add(printable(decoded(markup.replace(/\s+/g, " "))));
  }

  function add(words: string): void {
    out += words;
    if (link) link.text += words;
    if (words.trim() !== "") lineEnded = false;
  }

  function lineBreak(): void {
    if (!lineEnded) out += "\n";
    lineEnded = true;
  }

  function tag(name: string, markup: string): void {
    const opens = !markup.startsWith("</");
    if (name === "br") {
      lineEnded = false;
      lineBreak();
    } else if (PARAGRAPHS.test(name)) {
      lineBreak();
      out += "\n";
    } else if (LINES.test(name)) {
      lineBreak();
      if (name === "li" && opens) add("- ");
    } else if (name === "td" || name === "th") {
      add(" ");
    } else if (name === "a") {
      const { url, text: words } = link ?? { url: "", text: "" };
      link = null;
      if (url && words.trim() !== url) add(` (${url})`);
      const href = /\shref\s*=\s*["']?(https?:[^"'\s>]+)/i.exec(markup)?.[1];
      if (href && opens) link = { url: decoded(href), text: "" };
    }
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };

const decoded = (markup: string): string =>
  markup.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) =>
    name ? (ENTITIES[name.toLowerCase()] ?? whole) : character(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
  );

const character = (code: number): string =>
  code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? "\uFFFD" : String.fromCodePoint(code);
