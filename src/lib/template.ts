import Mustache from "mustache";

/** A parsed template: text, and tags with their place. */
export type Token = readonly [type: string, value: string, start: number, end: number, inner?: readonly Token[]];

/** A template that does not parse or grows beyond all measure; the message says where, and begins with a verb. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

const MAX_TAG = 500;
const MAX_DEPTH = 10;

// A writer of our own, because the one that Mustache shares keeps every template it ever saw.
const writer = Object.assign(new Mustache.Writer(), { templateCache: undefined });

/** The tokens of a template. Throws `TemplateError`. */
export function parseTemplate(template: string): readonly Token[] {
  checkTags(template);
  try {
    return writer.parse(template, ["{{", "}}"]);
  } catch (error) {
    throw new TemplateError(`is not a template that parses: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A sentence with the place of the fault when a template does not parse or uses what is not offered; else null. */
export function templateFault(template: string): string | null {
  try {
    parseTemplate(template);
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/**
 * Goes over the tags once before Mustache does, which names the place of a fault no better than by an offset, and which
 * takes minutes over 200 KB of spaces behind `{{`: its search for the end of a tag is quadratic in the tag's length.
 */
function checkTags(template: string): void {
  const open: { name: string; at: number }[] = [];
  for (let at = template.indexOf("{{"); at !== -1; ) {
    const sigil = /^\s*([#^/>{&=!]?)/.exec(template.slice(at + 2, at + MAX_TAG))?.[1] ?? "";
    const close = sigil === "{" ? "}}}" : "}}";
    const end = template.indexOf(close, at + 2);
    const start = at;
    const where = (): string => place(template, start);
    if (end === -1) throw new TemplateError(`has a tag ${where()} that is not closed with ${close}`);
    if (end - at > MAX_TAG) throw new TemplateError(`has a tag ${where()} that is longer than ${MAX_TAG} characters`);
    const tag = template.slice(at + 2, end).trim();
    const name = tag.slice(sigil.length).trim();
    if (sigil === ">" || sigil === "=")
      throw new TemplateError(`has the tag {{${tag}}} ${where()}, which is not offered here`);
    if (name === "" && sigil !== "!") throw new TemplateError(`has an empty tag ${where()}`);
    if (sigil === "#" || sigil === "^") {
      if (open.push({ name, at }) > MAX_DEPTH)
        throw new TemplateError(`has more than ${MAX_DEPTH} sections inside one another ${where()}`);
    } else if (sigil === "/") {
      const section = open.pop();
      if (!section) throw new TemplateError(`has {{/${name}}} ${where()} without {{#${name}}} before it`);
      if (section.name !== name) throw unclosed(template, section);
    }
    at = template.indexOf("{{", end + close.length);
  }
  const last = open.pop();
  if (last) throw unclosed(template, last);
}

const unclosed = (template: string, { name, at }: { name: string; at: number }): TemplateError =>
  new TemplateError(`has a section "${name}" ${place(template, at)} that is not closed with {{/${name}}}`);

function place(template: string, at: number): string {
  const before = template.slice(0, at);
  return `at line ${before.split("\n").length}, column ${at - before.lastIndexOf("\n")}`;
}
