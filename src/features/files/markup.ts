/** Tags by which browsers know a page (MIME Sniffing Standard, 7.1), and those that a page for mischief may begin with. */
const HTML =
  /^(!doctype\s+html|html|head|body|script|iframe|frame(set)?|h[1-6]|div|font|table|a|style|title|b|br|p|img|meta|link|base|form|object|embed|applet|input|button|video|audio|math|template|noscript|xmp|plaintext|marquee|details|dialog|span|ul|ol|center|i|u|section|article|main|nav|header|footer|xss)[\s/>]/i;

/** The type of a text that a browser, a server or a shell would run rather than show; null where it is plain. */
export function markupType(text: string): readonly [mime: string, ext: string] | null {
  if (/^#!/.test(text)) return ["text/x-script", "txt"];
  if (/^\s*<(\?(php\b|=)|%)/i.test(text)) return ["text/x-script", "txt"];
  // Anything before the first tag: a prolog, processing instructions, comments, a document type.
  const rest = text.replace(/^(\s+|<\?[^>]*>|<!--[\s\S]*?(-->|$)|<!doctype(?!\s+html)[^>[]*(\[[^\]]*\]\s*)?>)+/i, "");
  const prolog = /^\s*<[?!]/.test(text);
  if (!/^<[a-z!]/i.test(rest)) return prolog ? xmlType(text) : null;
  if (HTML.test(`${rest.slice(1, 40)}>`)) return ["text/html", "html"];
  if (/^<([\w.-]+:)?svg[\s/>]/i.test(`${rest}>`)) return ["image/svg+xml", "svg"];
  // `<ann@example.com>` is not a tag.
  return prolog || /^<[a-z][\w.-]*(:[\w.-]+)?(\s+[\w:.-]+\s*=|\s*\/?>)/i.test(rest) ? xmlType(text) : null;
}

/** XML can contain both of the others anywhere, identified by their namespace. */
function xmlType(text: string): readonly [mime: string, ext: string] {
  if (/<([\w.-]+:)?svg[\s/>]/i.test(text)) return ["image/svg+xml", "svg"];
  if (/www\.w3\.org\/1999\/xhtml|<html[\s>]|<script[\s>]/i.test(text)) return ["application/xhtml+xml", "xhtml"];
  return ["application/xml", "xml"];
}
