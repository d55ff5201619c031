import { byStatus, REFUSED } from "./answers.ts";
import { type Entry, entriesOf, fitted, footOf, moreLine, titleOf } from "./entries.ts";
import { APART, bytes, cut, plain } from "./text.ts";
import type { Format, FormatEvent } from "./types.ts";

/** Teams takes about 28 KB, and has been seen to count them in UTF-16. */
const BUDGET = 25_500;
const CAPS = [4_000, 2_000, 1_000, 500, 200, 80];
const KEY = 150;
/** Each line is a block of its own, because clients differ about line breaks inside a block. */
const MAX_LINES = 40;

const sizeOf = (blocks: object): number => {
  const text = JSON.stringify(blocks);
  return Math.max(bytes(text), text.length * 2);
};

interface Run {
  readonly type: "TextRun";
  readonly text: string;
  readonly [style: string]: unknown;
}

/** A text run has no markdown, but cards compute two functions: `{{DATE(…)}}` and `{{TIME(…)}}`. */
const run = (text: string, style: object = {}): Run => ({
  type: "TextRun",
  text: text.replace(/\{(?=\{(?:DATE|TIME)\()/gi, `{${APART}`),
  ...style,
});
const block = (inlines: Run[], spacing: "none" | "small" | "medium" = "none") => ({
  type: "RichTextBlock" as const,
  spacing,
  inlines,
});

function cardOf(event: FormatEvent): object {
  const { drawn, more } = fitted(entriesOf(event), { caps: CAPS, budget: BUDGET, draw: blocksOf, size: sizeOf });
  return {
    type: "AdaptiveCard",
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    version: "1.4",
    body: [
      block([run(cut(titleOf(event), 250), { size: "Large", weight: "Bolder" })]),
      ...drawn.flat(),
      ...(more > 0 ? [block([run(moreLine(more), { weight: "Bolder" })], "medium")] : []),
      block([run(footOf(event), { size: "Small", isSubtle: true })], "medium"),
    ],
    msteams: { width: "Full" },
  };
}

function blocksOf({ key, value, url }: Entry, cap: number): object[] {
  const label = block([run(cut(key, KEY), { weight: "Bolder" })], "medium");
  if (url) {
    const open = { selectAction: { type: "Action.OpenUrl", title: "Open", url } };
    return [label, block([run(cut(value, cap), open)])];
  }
  const lines = cut(value, cap, plain)
    .split("\n")
    .filter((line) => line.trim() !== "");
  const shown = lines.slice(0, MAX_LINES);
  if (shown.length < lines.length) shown[MAX_LINES - 1] += "…";
  return [label, ...shown.map((line) => block([run(line)]))];
}

/** Microsoft Teams, by a flow that begins with "When a Teams webhook request is received". */
export const teams: Format = {
  name: "teams",
  service: "Microsoft Teams",
  example:
    "https://….api.powerplatform.com/powerautomate/automations/direct/workflows/…/triggers/manual/paths/invoke?…",
  check: ({ pathname }) => /\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke\/?$/.test(pathname),
  secret: true,
  signed: false,
  headers: { "content-type": "application/json; charset=utf-8" },
  body: (event) =>
    JSON.stringify({
      type: "message",
      attachments: [
        { contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content: cardOf(event) },
      ],
    }),
  // 202: the flow has accepted it. Only the flow's own history shows its result.
  classify: (answer) => byStatus(answer, { failed: [...REFUSED, 404] }),
};
