import { parseTemplate, TemplateError, type Token } from "./template.ts";

/** A value of a submission. */
interface Field {
  readonly key: string;
  readonly value: string;
}

/** Data for the tags of a template. Values are text and never read as templates themselves. */
export interface TagView {
  readonly form: { readonly id: string; readonly name: string; readonly team_id?: string };
  readonly submission: { readonly id: string; readonly created_at: string };
  readonly fields: readonly Field[];
  /** Further names; a field can't take one of them. */
  readonly more?: ReadonlyMap<string, string>;
}

export type Values = readonly string[] | readonly Field[];
export type Scope = (name: string) => string | Values | undefined;

/** The remaining budget for rendering the templates of one mail. */
export interface TagBudget {
  turns: number;
  characters: number;
  /** The text for which it is, in the error; default `email`. */
  readonly of?: string;
}

/**
 * Nested loops multiply, and somebody else controls both the template and the number of fields. Every tag, text and round of a
 * loop is a step, even if it writes nothing; every character read counts, even if it is not kept.
 */
export const tagBudget = (): TagBudget => ({ turns: 25_000, characters: 8 * 1024 * 1024 });

/** The part of the budget that one step uses up. */
const STEP = { turns: 500, characters: 128 * 1024 } as const;

/** Makes output safe for its context, piece by piece in order. */
export interface Quoting {
  text(literal: string): string;
  value(value: string): string;
  /** The output of a tag that mails don't have; undefined for any other. */
  tag?(name: string, scope: Scope): string | undefined;
}

/** The steps of rendering a template for any context. Throws `TemplateError`. */
export function* render(template: string, view: TagView, budget: TagBudget, quoting: Quoting): Generator<void, string> {
  let out = "";
  let paused = { ...budget };
  const spend = (turns: number, characters: number): void => {
    budget.turns -= turns;
    budget.characters -= characters;
    if (budget.turns < 0 || budget.characters < 0)
      throw new TemplateError(`makes the ${budget.of ?? "email"} of this submission too long: its sections multiply`);
  };
  function* walk(tokens: readonly Token[], scope: Scope): Generator<void, void> {
    for (const [type, value, inner = []] of tokens) {
      spend(1, 0);
      if (type === "text") {
        spend(0, value.length);
        out += quoting.text(value);
      } else if (type === "name" || type === "&") {
        const own = quoting.tag?.(value, scope);
        const shown = own ?? variable(value, scope, spend);
        const quoted = own ?? quoting.value(shown);
        spend(0, Math.max(0, quoted.length - (own === undefined ? shown.length : 0)));
        out += quoted;
      } else if (type === "#") {
        for (const entry of entries(value, scope)) {
          // A round of an empty section is walked too.
          spend(1, 0);
          yield* walk(inner, scopeIn(entry, scope));
        }
      } else if (entries(value, scope).length === 0) yield* walk(inner, scope);
      if (paused.turns - budget.turns < STEP.turns && paused.characters - budget.characters < STEP.characters) continue;
      yield;
      paused = { ...budget };
    }
  }
  yield* walk(parseTemplate(template), scopeOf(view));
  return out;
}

/** Plain tags, outside sections, that name nothing which the view has, also nothing empty. Throws `TemplateError`. */
export function unknownTags(template: string, view: TagView): string[] {
  const scope = scopeOf(view);
  const known = new Set(view.fields.map(({ key }) => key));
  return parseTemplate(template)
    .filter(([type, tag]) => (type === "name" || type === "&") && !tag.includes("|"))
    .map(([, tag]) => tag.trim())
    .filter((name) => !known.has(name) && scope(name) === undefined);
}

/** `name`, or `name | text for when it is empty`. Its length is spent before it is put together. */
function variable(tag: string, scope: Scope, spend: (turns: number, characters: number) => void): string {
  const [name = "", ...rest] = tag.split("|");
  const found = scope(name.trim()) ?? "";
  const values = typeof found === "string" ? [found] : found;
  let text = "";
  for (const [at, entry] of values.entries()) {
    const value = typeof entry === "string" ? entry : entry.value;
    spend(at === 0 ? 0 : 1, value.length);
    text += at === 0 ? value : `, ${value}`;
  }
  return text === "" ? rest.join("|").trim() : text;
}

/** The items of a section: the entries of `fields`, or each non-empty value of a field. */
function entries(name: string, scope: Scope): Values {
  const found = scope(name.trim());
  if (found === undefined || found === "") return [];
  return typeof found === "string" ? [found] : found;
}

const scopeIn =
  (entry: string | Field, outer: Scope): Scope =>
  (name) => {
    if (typeof entry === "string") return name === "." ? entry : outer(name);
    return name === "key" ? entry.key : name === "value" ? entry.value : outer(name);
  };

/** A Map, because field names are the visitor's: `__proto__` is an ordinary name. Built-in names can't be overwritten. */
function scopeOf({ form, submission, fields, more }: TagView): Scope {
  const values = new Map<string, string[]>();
  for (const { key, value } of fields) {
    const list = values.get(key);
    if (list) list.push(value);
    else values.set(key, [value]);
  }
  const builtIn = new Map<string, string | readonly Field[]>([
    ["fields", fields],
    ["form.id", form.id],
    ["form.name", form.name],
    ["submission.id", submission.id],
    ["submission.created_at", submission.created_at],
    ...(more ?? []),
  ]);
  for (const [key, list] of values) if (list.every((value) => value === "")) values.delete(key);
  return (name) => builtIn.get(name) ?? values.get(name);
}
