/** A part of a template: text, a tag, or a section with what is inside it. */
export type Token = readonly [type: "text" | "name" | "&" | "#" | "^", value: string, inner?: readonly Token[]];

/** A template that does not parse or grows beyond all measure; the message says where, and begins with a verb. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

const MAX_TAG = 500;
const MAX_DEPTH = 10;

/** Templates that were parsed last, by their text: each recipient's mail is made of the same one. */
const parsed = new Map<string, readonly Token[]>();
const MAX_PARSED_CHARACTERS = 1024 * 1024;
let parsedCharacters = 0;

/** The tokens of a template. Throws `TemplateError`. */
export function parseTemplate(template: string): readonly Token[] {
  const known = parsed.get(template);
  if (known) return known;
  const tokens = read(template);
  keep(template, tokens);
  return tokens;
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
    read(template);
    return null;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/**
 * Reads a template as Mustache does (a property in the tests). Mustache's own parser goes character by character, 50 ms of the
 * event loop for 200 KB, takes minutes for spaces after `{{`, and reports a fault only by its offset.
 */
function read(template: string): readonly Token[] {
  const open: { sigil: string; name: string; at: number; outer: Token[] }[] = [];
  const lines = createLines();
  let tokens: Token[] = [];
  let read = 0;
  for (let at = template.indexOf("{{"); at !== -1; ) {
    const sigil = /^\s*([#^/>{&=!]?)/.exec(template.slice(at + 2, at + MAX_TAG))?.[1] ?? "";
    const close = sigil === "{" ? "}}}" : "}}";
    const end = template.indexOf(close, at + 2);
    const start = at;
    const where = (): string => placeIn(template, start);
    if (end === -1) throw new TemplateError(`has a tag ${where()} that is not closed with ${close}`);
    if (end - at > MAX_TAG) throw new TemplateError(`has a tag ${where()} that is longer than ${MAX_TAG} characters`);
    const tag = template.slice(at + 2, end).trim();
    const name = tag.slice(sigil.length).trim();
    if (sigil === ">" || sigil === "=")
      throw new TemplateError(`has the tag {{${tag}}} ${where()}, which is not offered here`);
    if (name === "" && sigil !== "!") throw new TemplateError(`has an empty tag ${where()}`);
    lines.text(template.slice(read, at), tokens);
    read = end + close.length;
    if (sigil === "#" || sigil === "^") {
      // It would run over the same values once for each of them: 500 fields in ten such loops never finish.
      if (sigil === "#" && open.some((section) => section.sigil === "#" && section.name === name))
        throw new TemplateError(`has a section "${name}" inside itself ${where()}`);
      if (open.push({ sigil, name, at, outer: tokens }) > MAX_DEPTH)
        throw new TemplateError(`has more than ${MAX_DEPTH} sections inside one another ${where()}`);
      const inner: Token[] = [];
      tokens.push([sigil, name, inner]);
      tokens = inner;
    } else if (sigil === "/") {
      const section = open.pop();
      if (!section) throw new TemplateError(`has {{/${name}}} ${where()} without {{#${name}}} before it`);
      if (section.name !== name) throw unclosed(template, section);
      tokens = section.outer;
    } else if (sigil !== "!") tokens.push([sigil === "" ? "name" : "&", name]);
    lines.tag(sigil === "" || sigil === "{" || sigil === "&");
    at = template.indexOf("{{", read);
  }
  const last = open.pop();
  if (last) throw unclosed(template, last);
  lines.text(template.slice(read), tokens);
  lines.end();
  return tokens;
}

/** Puts text among the tokens, and takes away what is around the tags of a line that has no others than sections and comments. */
function createLines() {
  let blank: [type: "text", value: string][] = [];
  let hasTag = false;
  let shows = false;
  const end = (): void => {
    if (hasTag && !shows) for (const token of blank) token[1] = "";
    blank = [];
    hasTag = false;
    shows = false;
  };
  const add = (value: string, tokens: Token[]): void => {
    if (value === "") return;
    const token: [type: "text", value: string] = ["text", value];
    tokens.push(token);
    if (value.trim() === "") blank.push(token);
    else shows = true;
  };
  return {
    end,
    tag(isShown: boolean): void {
      hasTag = true;
      if (isShown) shows = true;
    },
    text(value: string, tokens: Token[]): void {
      const first = value.indexOf("\n") + 1;
      if (first > 0) {
        add(value.slice(0, first), tokens);
        end();
      }
      // Lines without a tag stay as they are.
      const last = value.lastIndexOf("\n") + 1;
      if (last > first) tokens.push(["text", value.slice(first, last)]);
      add(value.slice(last), tokens);
    },
  };
}

const unclosed = (template: string, { name, at }: { name: string; at: number }): TemplateError =>
  new TemplateError(`has a section "${name}" ${placeIn(template, at)} that is not closed with {{/${name}}}`);

/** A place in a text, for a message: `at line 3, column 7`. */
export function placeIn(template: string, at: number): string {
  const before = template.slice(0, at);
  return `at line ${before.split("\n").length}, column ${at - before.lastIndexOf("\n")}`;
}
