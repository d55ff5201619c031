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

/** Templates that were parsed last, by their text: each recipient's mail is made of the same one. */
const parsed = new Map<string, readonly Token[]>();
const MAX_PARSED_CHARACTERS = 1024 * 1024;
let parsedCharacters = 0;

/** The tokens of a template. Throws `TemplateError`. */
export function parseTemplate(template: string): readonly Token[] {
  const known = parsed.get(template);
  if (known) return known;
  checkTags(template);
  try {
    const tokens = writer.parse(template, ["{{", "}}"]);
    keep(template, tokens);
    return tokens;
  } catch (error) {
    throw new TemplateError(`is not a template that parses: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The oldest make room. The longest template that can be saved is a fifth of the room. */
function keep(template: string, tokens: readonly Token[]): void {
  parsed.set(template, tokens);
  parsedCharacters += template.length;
  for (const oldest of parsed.keys()) {
    if (parsedCharacters <= MAX_PARSED_CHARACTERS) return;
    parsed.delete(oldest);
    parsedCharacters -= oldest.length;
  }
}

/** Returns null, or a sentence with the position of the fault if a template does not parse or uses an unknown tag. */
export function templateFault(template: string): string | null {
  try {
    // Templates that pass also parse (a property in the tests); 200 KB take Mustache 50 ms of the event loop.
    checkTags(template);
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/**
 * Checks the tags before Mustache does. Mustache reports a fault only by its offset, and takes minutes for 200 KB of spaces
 * after `{{`, because its search for the end of a tag is quadratic in the tag's length.
 */
function checkTags(template: string): void {
  const open: { sigil: string; name: string; at: number }[] = [];
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
      // It would run over the same values once for each of them: 500 fields in ten such loops never finish.
      if (sigil === "#" && open.some((section) => section.sigil === "#" && section.name === name))
        throw new TemplateError(`has a section "${name}" inside itself ${where()}`);
      if (open.push({ sigil, name, at }) > MAX_DEPTH)
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
