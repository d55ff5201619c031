import { wrongParameter } from "../../../errors.ts";
import { type Quoting, render, type Scope, tagBudget } from "../../../lib/tags.ts";
import { placeIn, templateFault } from "../../../lib/template.ts";
import { stepwise } from "../../../lib/turn.ts";
import type { ContentType } from "../../../model/destinations.ts";
import { valuesOf } from "../../../model/values.ts";
import type { FormatEvent } from "./types.ts";

const TAG = /\{\{\s*(?:\{[\s\S]*?\}\}\}|[\s\S]*?\}\})/g;
const JSON_TAG = /^json\s+/;
/** Characters of a body for each of its submission, besides those of every budget. */
const ROOM = 16;
const PARAM = "config.body";

/**
 * A body with the tags filled in: no value can leave its place in JSON or in a urlencoded body. Throws `TemplateError` where a
 * submission makes too long a text of it.
 */
export function filled(template: string, type: ContentType, { form, submission }: FormatEvent): Promise<string> {
  const values = valuesOf(submission);
  const named = new Set(submission.fields.map(({ key }) => key));
  const files = submission.attachments
    .filter(({ key }) => !named.has(key))
    .map(({ key, url }) => ({ key, value: url }));
  const all = (): string => json(values);
  const jsonOf = (tag: string, scope: Scope): string => {
    const [name = "", ...rest] = tag.replace(JSON_TAG, "").split("|");
    const wanted = name.trim();
    if (wanted === "all_fields") return all();
    // The scope has no names whose values are all empty; a value that a visitor left empty is still one.
    const found = scope(wanted) ?? (Object.hasOwn(values, wanted) ? values[wanted] : undefined);
    const value = Array.isArray(found) && found.length === 1 && wanted !== "fields" ? found[0] : found;
    return json(value ?? (rest.length > 0 ? rest.join("|").trim() : null));
  };
  const quote = quotes[type];
  let isInside = false;
  const quoting: Quoting = {
    text(literal) {
      if (type === "application/json") isInside = stringState(literal, isInside);
      return literal;
    },
    value: quote,
    tag(name, scope) {
      const text = JSON_TAG.test(name) ? jsonOf(name, scope) : name === "all_fields" ? all() : undefined;
      if (text === undefined) return undefined;
      return type === "application/json" && !isInside ? text : quote(text);
    },
  };
  const view = {
    form,
    submission,
    fields: [...submission.fields, ...files],
    more: new Map([
      ["submission_id", submission.id],
      ["form_id", submission.form_id],
      ["created_at", submission.created_at],
    ]),
  };
  const { turns, characters } = tagBudget();
  // One tag is all fields, however long, and each may be written several times as long as it is.
  const size = view.fields.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
  const budget = { turns, characters: characters + ROOM * size, of: "body" };
  return stepwise(render(template, view, budget, quoting), form.id);
}

/** JSON without half surrogates, which strict readers refuse. */
const json = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === "string") return member.toWellFormed();
    if (typeof member !== "object" || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).map(([key, one]) => [key.toWellFormed(), one]));
  });

const quotes: Readonly<Record<ContentType, (value: string) => string>> = {
  "application/json": (value) => json(value).slice(1, -1),
  "application/x-www-form-urlencoded": (value) => encodeURIComponent(value.toWellFormed()),
  "text/plain": (value) => value.toWellFormed(),
};

/** True if JSON text ends inside a string literal; `inside` tells of its start. No literal ends in the middle of an escape. */
function stringState(text: string, inside: boolean): boolean {
  let state = inside;
  for (let at = 0; at < text.length; at++) {
    if (state && text[at] === "\\") at++;
    else if (text[at] === '"') state = !state;
  }
  return state;
}

/**
 * Throws `invalid_parameter` with the place of the fault for a template that does not give a valid body for every submission.
 *
 * For JSON that is proved, not tried: tags and whole sections stand inside string literals, where values are escaped, or are whole
 * values. So all submissions give the same structure, and one reading of it is enough.
 */
export function assertTemplate(template: string, type: ContentType): void {
  const fault = templateFault(template);
  if (fault !== null) throw wrongParameter(PARAM, fault);
  if (type === "application/json") assertJson(template);
  if (type === "application/x-www-form-urlencoded") assertUrlencoded(template);
}

function assertUrlencoded(template: string): void {
  const literal = template.replace(TAG, (tag) => "x".repeat(tag.length));
  const at = literal.search(/[^\x21-\x7e]|%(?![0-9a-f]{2})/i);
  if (at < 0) return;
  throw wrongParameter(
    PARAM,
    `has a character ${placeIn(template, at)} that stands in no urlencoded body; write it as encodeURIComponent does, such as %20 for a space`,
  );
}

function assertJson(template: string): void {
  const refuse = (at: number, what: string): Error => wrongParameter(PARAM, `${what} ${placeIn(template, at)}`);
  const sections: { readonly string: number }[] = [];
  let skeleton = "";
  let read = 0;
  let inside = false;
  let strings = 0;
  const literal = (until: number): void => {
    for (; read < until; read++) {
      const char = template[read];
      skeleton += char;
      if (inside && char === "\\") {
        if (read + 1 >= until) throw refuse(read, "has a backslash right before a tag or at its end");
        skeleton += template[++read];
      } else if (char === '"') {
        inside = !inside;
        if (inside) strings++;
      }
    }
  };
  for (const { 0: tag, index } of template.matchAll(TAG)) {
    literal(index);
    const body = tag.replace(/^\{\{\s*\{?|\}?\}\}$/g, "").trim();
    const sigil = /^[#^/!&]/.exec(body)?.[0] ?? "";
    const isComment = sigil === "!";
    if (sigil === "#" || sigil === "^" || sigil === "/") {
      if (!inside) throw refuse(index, `has the section tag ${tag} outside a string literal`);
      if (sigil !== "/") sections.push({ string: strings });
      else if (sections.pop()?.string !== strings) throw refuse(index, `has a section that leaves its string literal`);
    }
    const name = body.replace(/^&\s*/, "");
    if (!inside && !isComment && !JSON_TAG.test(name) && name !== "all_fields") {
      throw refuse(index, `has the tag ${tag} outside a string literal; put it in quotes or write {{{json ${name}}}}`);
    }
    skeleton += inside ? "x".repeat(tag.length) : (isComment ? "" : "null").padEnd(tag.length);
    read = index + tag.length;
  }
  literal(template.length);
  try {
    JSON.parse(skeleton);
  } catch {
    throw refuse(faultAt(skeleton), "is no JSON");
  }
}

/** The place of the first fault: the end of the longest beginning that could still become JSON. Engines name it in some messages only. */
function faultAt(text: string): number {
  let [good, bad] = [0, text.length];
  while (good < bad) {
    const middle = Math.ceil((good + bad) / 2);
    if (couldGoOn(text.slice(0, middle))) good = middle;
    else bad = middle - 1;
  }
  return good;
}

function couldGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    const at = /at position (\d+)/.exec(String(error))?.[1];
    return at === undefined ? String(error).includes("end of JSON input") : Number(at) >= beginning.length;
  }
}
