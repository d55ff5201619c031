import { byStatus, membersOf, REFUSED, seconds } from "./answers.ts";
import { entriesOf, fitted, footOf, moreLine, titleOf, withoutParentheses } from "./entries.ts";
import { JSON_HEADERS } from "./standard.ts";
import { cut, type Script } from "./text.ts";
import type { Format, FormatEvent } from "./types.ts";

/** Of all embeds together: 6,000, less title and foot. */
const BUDGET = 5_500;
const FIELDS_PER_EMBED = 25;
const MAX_EMBEDS = 10;
const KEY = 200;
const CAPS = [1_000, 500, 250, 120, 50];

/** Punctuation that begins anything in Discord's markdown. A backslash before punctuation is never shown. */
const MARKUP = /[\\*_~`|>#<@:()[\]{}+\-.=!&]/;
const script: Script = {
  *pieces(text) {
    for (const char of text) yield MARKUP.test(char) ? `\\${char}` : char;
  },
  size: (piece) => piece.length,
};

function embedsOf(event: FormatEvent): object[] {
  const { drawn, more } = fitted(entriesOf(event), {
    caps: CAPS,
    most: FIELDS_PER_EMBED * MAX_EMBEDS,
    budget: BUDGET,
    draw: ({ key, value, url }, cap) => {
      const link = url ? `\n[Open](${withoutParentheses(url)})` : "";
      const room = Math.max(20, Math.min(cap, 1_024 - link.length));
      return { name: cut(key, KEY, script), value: cut(value, room, script) + link };
    },
    size: ({ name, value }) => name.length + value.length,
  });
  const pages: object[][] = [];
  for (let at = 0; at < drawn.length; at += FIELDS_PER_EMBED) pages.push(drawn.slice(at, at + FIELDS_PER_EMBED));
  if (pages.length === 0) pages.push([]);
  const foot = more > 0 ? `${moreLine(more)} · ${footOf(event)}` : footOf(event);
  return pages.map((fields, at) => ({
    ...(at === 0 && { title: cut(titleOf(event), 250, script) }),
    fields,
    ...(at === pages.length - 1 && { footer: { text: cut(foot, 150) }, timestamp: event.submission.created_at }),
  }));
}

/** Discord, by a channel's webhook. */
export const discord: Format = {
  name: "discord",
  service: "Discord",
  example: "https://discord.com/api/webhooks/000000000000000000/XXXXXXXXXXXXXXXX",
  check: ({ pathname }) => /^\/api\/(?:v\d+\/)?webhooks\/\d+\/[^/]+$/.test(pathname),
  secret: true,
  signed: false,
  // Without `wait` Discord responds before it has checked the message.
  address: (url) => {
    const waiting = new URL(url);
    waiting.searchParams.set("wait", "true");
    return waiting.href;
  },
  headers: JSON_HEADERS,
  body: (event) => JSON.stringify({ embeds: embedsOf(event), allowed_mentions: { parse: [] } }),
  classify(answer) {
    const { code, retry_after } = membersOf(answer.body);
    // 10015 is Unknown Webhook; another 404 may be a thread that comes back.
    if (answer.status === 404 && code === 10_015) return { end: "gone" };
    // In seconds with a fraction, where the header is rounded or absent.
    return byStatus({ ...answer, retryAfter: seconds(retry_after) ?? answer.retryAfter }, { failed: REFUSED });
  },
};
