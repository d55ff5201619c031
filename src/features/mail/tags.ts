import { escapeHtml } from "../../lib/html.ts";
import { type Quoting, render, type TagBudget, type TagView, tagBudget } from "../../lib/tags.ts";
import { stepwise } from "../../lib/turn.ts";

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
