import { escapeHtml } from "../lib/html.ts";
import { parseTemplate, TemplateError, type Token } from "../lib/template.ts";
import type { SubmissionField } from "../submissions/schema.ts";

/** What the tags of a template see. Values are text and never read as templates themselves. */
export interface TagView {
  readonly form: { readonly id: string; readonly name: string };
  readonly submission: { readonly id: string; readonly created_at: string };
  readonly fields: readonly SubmissionField[];
}

type Scope = (name: string) => string | readonly string[] | readonly SubmissionField[] | undefined;
/** Makes a value fit for its place; `before` is the end of what stands in front of it. */
type Quote = (value: string, before: string) => string;

// Loops inside loops multiply, and both the template and the number of fields are somebody else's choice.
const MAX_TAGS = 200_000;
const MAX_OUTPUT = 8 * 1024 * 1024;

/** A template with its tags filled in as plain text: a subject, a message. Throws `TemplateError`. */
export const renderText = (template: string, view: TagView): string => render(template, view, (value) => value);

/** A template with its tags filled in as HTML; every value is escaped, also under `{{{…}}}`. Throws `TemplateError`. */
export const renderHtml = (template: string, view: TagView): string => render(template, view, quoteHtml);

function render(template: string, view: TagView, quote: Quote): string {
  let out = "";
  let tail = "";
  let tags = 0;
  const add = (text: string): void => {
    out += text;
    // Kept apart, because looking at the end of a string that grows makes it flat again each time.
    tail = (tail + text.slice(-64)).slice(-64);
    if (++tags > MAX_TAGS || out.length > MAX_OUTPUT)
      throw new TemplateError("makes too long a mail of this submission: its sections multiply");
  };
  const walk = (tokens: readonly Token[], scope: Scope): void => {
    for (const [type, value, , , inner = []] of tokens) {
      if (type === "text") add(value);
      else if (type === "name" || type === "&") add(quote(variable(value, scope), tail));
      else if (type === "#") for (const nested of entries(value, scope)) walk(inner, nested);
      else if (type === "^" && entries(value, scope).length === 0) walk(inner, scope);
    }
  };
  walk(parseTemplate(template), scopeOf(view));
  return out;
}

/** `name`, or `name | text for when it is empty`. */
function variable(tag: string, scope: Scope): string {
  const [name = "", ...rest] = tag.split("|");
  const found = scope(name.trim());
  const text =
    found === undefined
      ? ""
      : typeof found === "string"
        ? found
        : found.map((v) => (typeof v === "string" ? v : v.value)).join(", ");
  return text === "" ? rest.join("|").trim() : text;
}

/** What a section runs over: the entries of `fields`, or each value of a field that is not empty. */
function entries(name: string, scope: Scope): Scope[] {
  const found = scope(name.trim());
  if (found === undefined || found === "") return [];
  const list: readonly (string | SubmissionField)[] = typeof found === "string" ? [found] : found;
  return list.map((entry) => (inner) => {
    if (typeof entry === "string") return inner === "." ? entry : scope(inner);
    return inner === "key" ? entry.key : inner === "value" ? entry.value : scope(inner);
  });
}

/** A Map, because field names are the visitor's: `__proto__` is a name like any other. What is built in can't be overwritten. */
function scopeOf({ form, submission, fields }: TagView): Scope {
  const values = new Map<string, string[]>();
  for (const { key, value } of fields) {
    const list = values.get(key);
    if (list) list.push(value);
    else values.set(key, [value]);
  }
  const builtIn = new Map<string, string | readonly SubmissionField[]>([
    ["fields", fields],
    ["form.id", form.id],
    ["form.name", form.name],
    ["submission.id", submission.id],
    ["submission.created_at", submission.created_at],
  ]);
  return (name) => {
    const found = builtIn.get(name) ?? values.get(name);
    return Array.isArray(found) && found.every((value) => value === "") ? undefined : found;
  };
}

const LINK_ATTRIBUTE = /\b(?:href|src|action|background)\s*=\s*["']?\s*$/i;

/** Where a link begins with a value, the value must not choose a scheme that runs something: `javascript:` needs no markup. */
function quoteHtml(value: string, before: string): string {
  if (!LINK_ATTRIBUTE.test(before)) return escapeHtml(value);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(value.replace(/[\s\p{Cc}]+/gu, ""))?.[1]?.toLowerCase();
  return scheme === undefined || /^(https?|mailto|tel)$/.test(scheme) ? escapeHtml(value) : "#";
}
