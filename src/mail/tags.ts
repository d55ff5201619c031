import Mustache from "mustache";
import { escapeHtml } from "../lib/html.ts";
import type { SubmissionField } from "../submissions/schema.ts";

/** What the tags of a template see. Values are text and never read as templates themselves. */
export interface TagView {
  readonly form: { readonly id: string; readonly name: string };
  readonly submission: { readonly id: string; readonly created_at: string };
  readonly fields: readonly SubmissionField[];
}

type Token = [type: string, value: string, start: number, end: number, inner?: Token[]];
type Scope = (name: string) => string | readonly string[] | readonly SubmissionField[] | undefined;

/** Answers a sentence with the place of the fault when a template does not parse or uses what is not offered; else null. */
export function templateFault(template: string): string | null {
  try {
    return firstRefused(parse(template));
  } catch (error) {
    return `is not a template that parses: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A template with its tags filled in as plain text: a subject, a message. */
export const renderText = (template: string, view: TagView): string => render(template, view, (value) => value);

/** A template with its tags filled in as HTML; every value is escaped, also under `{{{…}}}`. */
export const renderHtml = (template: string, view: TagView): string => render(template, view, escapeHtml);

function render(template: string, view: TagView, quote: (value: string) => string): string {
  return walk(parse(template), scopeOf(view), quote);
}

const parse = (template: string): Token[] => Mustache.parse(template) as unknown as Token[];

function walk(tokens: readonly Token[], scope: Scope, quote: (value: string) => string): string {
  let out = "";
  for (const [type, value, , , inner = []] of tokens) {
    if (type === "text") out += value;
    else if (type === "name" || type === "&") out += quote(variable(value, scope));
    else if (type === "#") for (const nested of entries(value, scope)) out += walk(inner, nested, quote);
    else if (type === "^" && entries(value, scope).length === 0) out += walk(inner, scope, quote);
  }
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
  for (const { key, value } of fields) values.set(key, [...(values.get(key) ?? []), value]);
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

function firstRefused(tokens: readonly Token[]): string | null {
  for (const [type, value, start, , inner] of tokens) {
    if (type === ">" || type === "=") return `uses {{${type}${value}}} at character ${start + 1}, which is not offered`;
    const fault = inner && firstRefused(inner);
    if (fault) return fault;
  }
  return null;
}
