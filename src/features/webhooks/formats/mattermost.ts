import { byStatus, REFUSED } from "./answers.ts";
import { entriesOf, fitted, footOf, moreLine, titleOf, withoutParentheses } from "./entries.ts";
import { JSON_HEADERS } from "./standard.ts";
import { cut, type Script, unmentioned } from "./text.ts";
import type { Format, FormatEvent } from "./types.ts";

/** 16,383 characters of a post, less title and foot. */
const BUDGET = 15_500;
const CAPS = [10_000, 5_000, 2_000, 800, 300, 100];
const KEY = 300;

/**
 * Markup as numeric references: clients show the characters and read no syntax in them, neither markdown, emoji, hashtags,
 * channel links nor LaTeX. The server resolves them before it searches for mentions, so `@` needs another way.
 */
const MARKUP = /[&<>\\`*_~[\](){}#|:$!=+\-.]/;
const script: Script = {
  *pieces(text) {
    // Spaces that begin a line could make it code.
    for (const char of unmentioned(text).replace(/^[ \t]+/gm, ""))
      yield MARKUP.test(char) ? `&#${char.charCodeAt(0)};` : char;
  },
  size: (piece) => piece.length,
};

function textOf(event: FormatEvent): string {
  const { drawn, more } = fitted(entriesOf(event), {
    caps: CAPS,
    budget: BUDGET,
    draw: ({ key, value, url }, cap) => {
      const link = url ? ` [Open](${withoutParentheses(url)})` : "";
      return `**${cut(key, KEY, script)}**\n${cut(value, cap, script)}${link}`;
    },
    size: (part) => part.length + 2,
  });
  const foot = more > 0 ? `${moreLine(more)} · ${footOf(event)}` : footOf(event);
  return [`**${cut(titleOf(event), 250, script)}**`, ...drawn, cut(foot, 500, script)].join("\n\n");
}

/** Mattermost, by an incoming webhook of the tenant's own server. */
export const mattermost: Format = {
  name: "mattermost",
  service: "Mattermost",
  example: "https://mattermost.example.com/hooks/xxxxxxxxxxxxxxxxxxxxxxxxxx",
  check: ({ pathname }) => /\/hooks\/[^/]+$/.test(pathname),
  secret: true,
  signed: false,
  headers: JSON_HEADERS,
  body: (event) => JSON.stringify({ text: textOf(event) }),
  classify: (answer) => byStatus(answer, { failed: [...REFUSED, 404] }),
};
