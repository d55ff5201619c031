import { byStatus, REFUSED } from "./answers.ts";
import { type Entry, entriesOf, fitted, footOf, moreLine, titleOf } from "./entries.ts";
import { JSON_HEADERS } from "./standard.ts";
import { bytes, cut, type Script } from "./text.ts";
import type { Format, FormatEvent } from "./types.ts";

/** Slack counts containers too, in a way that it does not document; messages from 11,000 to 13,000 characters were refused. */
const BUDGET = 9_000;
const MAX_BLOCKS = 50;
const CAPS = [2_900, 1_400, 700, 350, 150, 60];
const KEY = 150;

/** The three characters that Slack reads as markup in every text object. */
const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const script: Script = {
  *pieces(text) {
    for (const char of text) yield ESCAPES[char] ?? char;
  },
  size: (piece) => piece.length,
};

// `plain_text` knows no mentions, links or styles; with `emoji: false` it knows no :shortcodes: either.
const text = (value: string, limit: number) => ({
  type: "plain_text" as const,
  text: cut(value, limit, script),
  emoji: false,
});
const section = (value: string, limit: number) => ({ type: "section" as const, text: text(value, limit) });
const context = (...elements: object[]) => ({ type: "context" as const, elements });

function blocksOf(event: FormatEvent): object[] {
  const entries = entriesOf(event);
  // All but header and foot.
  const free = MAX_BLOCKS - 2;
  const roomy = entries.length * 2 <= free;
  const { drawn, more } = fitted(entries, {
    caps: CAPS,
    most: free,
    budget: BUDGET,
    draw: roomy ? twoBlocks : oneBlock,
    size: (blocks) => bytes(JSON.stringify(blocks)),
  });
  return [
    { type: "header", text: text(titleOf(event), 150) },
    ...drawn.flat(),
    context(text(more > 0 ? `${moreLine(more)} · ${footOf(event)}` : footOf(event), 150)),
  ];
}

function twoBlocks({ key, value, url }: Entry, cap: number): object[] {
  return [context(text(key, KEY), ...linkTo(url)), section(value, cap)];
}

function oneBlock({ key, value, url }: Entry, cap: number): object[] {
  const label = cut(key, KEY);
  return [
    url
      ? context(text(`${label}: ${value}`, cap), ...linkTo(url))
      : section(`${label}\n${value}`, Math.min(cap + KEY, 3_000)),
  ];
}

/** The only text with markup: the link is ours, and its only special character for Slack is `&`. */
const linkTo = (url: string | undefined): object[] =>
  url ? [{ type: "mrkdwn", text: `<${url.replaceAll("&", "&amp;")}|Open>`, verbatim: true }] : [];

/** Slack, by an incoming webhook. */
export const slack: Format = {
  name: "slack",
  service: "Slack",
  example: "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
  check: ({ pathname }) => /^\/services\/[^/]+\/[^/]+\/[^/]+$/.test(pathname),
  secret: true,
  signed: false,
  headers: JSON_HEADERS,
  // The text is shown in notifications; it contains no words of a visitor.
  body: (event) =>
    JSON.stringify({
      text: cut(titleOf(event), 150, script),
      mrkdwn: false,
      blocks: blocksOf(event),
      unfurl_links: false,
      unfurl_media: false,
    }),
  // 404 `no_service`, `no_team`, `channel_not_found`; 410 `channel_is_archived`.
  classify: (answer) => byStatus(answer, { gone: [404], failed: REFUSED }),
};
