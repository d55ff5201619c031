import { escapeHtml } from "../../lib/html.ts";
import { parseTemplate, TemplateError, type Token } from "../../lib/template.ts";
import { stepwise } from "../../lib/turn.ts";
import type { SubmissionField } from "../../model/submissions.ts";

/** Data for the tags of a template. Values are text and never read as templates themselves. */
export interface TagView {
  readonly form: { readonly id: string; readonly name: string; readonly team_id?: string };
  readonly submission: { readonly id: string; readonly created_at: string };
  readonly fields: readonly SubmissionField[];
  /** Further names; a field can't take one of them. */
  readonly more?: ReadonlyMap<string, string>;
}

export type Values = readonly string[] | readonly SubmissionField[];
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

/** A template with its tags filled in as plain text: a subject, a message. Throws `TemplateError`. */
export const renderText = (template: string, view: TagView, budget = tagBudget()): Promise<string> =>
  stepwise(textSteps(template, view, budget), view.form.team_id);

/** A template with its tags filled in as HTML; every value is escaped, also under `{{{…}}}`. Throws `TemplateError`. */
export const renderHtml = (template: string, view: TagView, budget = tagBudget()): Promise<string> =>
  stepwise(htmlSteps(template, view, budget), view.form.team_id);

/** The steps of `renderText`, each well below a millisecond. */
export const textSteps = (template: string, view: TagView, budget: TagBudget): Generator<void, string> =>
  render(template, view, budget, { text: (text) => text, value: (value) => value });

/** The steps of `renderHtml`. */
export const htmlSteps = (template: string, view: TagView, budget: TagBudget): Generator<void, string> =>
  render(template, view, budget, htmlQuoting());

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
  (entry: string | SubmissionField, outer: Scope): Scope =>
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
  const builtIn = new Map<string, string | readonly SubmissionField[]>([
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

const LINK_ATTRIBUTE = /\b(?:href|src|action|formaction|background|poster|data|cite)\s*=\s*(["']?)\s*$/i;
/** Browsers look for a scheme no further than this; a longer one is none that runs something. */
const MAX_SCHEME = 64;

/**
 * Escapes values, and watches links that begin with one: no value may complete a scheme that runs something, because
 * `javascript:` needs no markup. A link is judged from its beginning, so that it can't be put together of several values either.
 */
function htmlQuoting(): Quoting {
  // Separate, because reading the end of a growing string flattens it each time.
  let tail = "";
  /** The link that the next value goes on with: how it is quoted, and its beginning as browsers read it. */
  let link: { readonly quote: string; start: string } | null = null;
  const note = (written: string): void => {
    tail = (tail + written.slice(-64)).slice(-64);
  };

  return {
    text(literal) {
      note(literal);
      if (link) {
        const ends = link.quote === "" ? /[\s>]/.test(literal) : literal.includes(link.quote);
        link = ends ? null : { ...link, start: begun(link.start, literal) };
      }
      return literal;
    },
    value(value) {
      const quote = link ? null : LINK_ATTRIBUTE.exec(tail)?.[1];
      if (typeof quote === "string") link = { quote, start: "" };
      if (!link) {
        const escaped = escapeHtml(value);
        note(escaped);
        return escaped;
      }
      const start = begun(link.start, value);
      const isSafe = !runsSomething(start);
      if (isSafe) link.start = start;
      // Without quotes around it, a space would end the link and start an attribute of the visitor's.
      const escaped = escapeHtml(isSafe ? value : "#");
      const written = link.quote === "" ? escaped.replace(/[\s=`]/g, (sign) => `&#${sign.charCodeAt(0)};`) : escaped;
      note(written);
      return written;
    },
  };
}

/** The start of a link with more text. Browsers drop spaces and control characters anywhere in it. */
const begun = (start: string, more: string): string =>
  start.length >= MAX_SCHEME ? start : (start + more.replace(/[\s\p{Cc}]+/gu, "")).slice(0, MAX_SCHEME);

function runsSomething(start: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(start)?.[1]?.toLowerCase();
  return scheme !== undefined && !/^(https?|mailto|tel)$/.test(scheme);
}
