import { byStatus, membersOf, REFUSED, seconds } from "./answers.ts";
import { entriesOf, fitted, footOf, moreLine, titleOf } from "./entries.ts";
import { APART, bytes, cut, type Script } from "./text.ts";
import type { Answer, Format, FormatEvent } from "./types.ts";

/** 32,000 bytes of a message, minus the text around the fields. */
const BUDGET = 29_000;
/** A card has at most 100 widgets. */
const MAX_WIDGETS = 95;
const CAPS = [10_000, 5_000, 2_000, 800, 300, 100];
const KEY = 200;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\n": "<br>" };
/** Texts in widgets are simple HTML. */
const script: Script = {
  *pieces(text) {
    for (const char of text) yield ESCAPES[char] ?? char;
  },
  size: bytes,
};

function messageOf(event: FormatEvent): object {
  const { drawn, more } = fitted(entriesOf(event), {
    caps: CAPS,
    most: MAX_WIDGETS,
    budget: BUDGET,
    draw: ({ key, value, url }, cap) => ({
      decoratedText: {
        topLabel: cut(key, KEY, script),
        text: cut(value, cap, script),
        wrapText: true,
        ...(url && { button: { text: "Open", onClick: { openLink: { url } } } }),
      },
    }),
    size: (widget) => bytes(JSON.stringify(widget)) + 1,
  });
  const foot = more > 0 ? `${moreLine(more)} · ${footOf(event)}` : footOf(event);
  return {
    // Shown in a notification; the only text with markup of its own.
    text: cut(titleOf(event), 250).replace(/[*_~`<]/g, `$&${APART}`),
    cardsV2: [
      {
        cardId: "submission",
        card: {
          header: { title: cut(titleOf(event), 250, script) },
          sections: [{ widgets: [...drawn, { textParagraph: { text: cut(foot, 500, script) } }] }],
        },
      },
    ],
  };
}

/** The wait that a `google.rpc.RetryInfo` of an error asks for, such as `30s`. */
function waitIn({ body }: Answer): string | undefined {
  const { error } = membersOf(body) as { error?: { details?: unknown } };
  const details: unknown[] = Array.isArray(error?.details) ? error.details : [];
  for (const detail of details) {
    const delay = (detail as { retryDelay?: unknown } | null)?.retryDelay;
    if (typeof delay === "string" && /^[\d.]+s$/.test(delay)) return seconds(Number(delay.slice(0, -1)));
  }
  return undefined;
}

/** Google Chat, by a space's webhook. */
export const google_chat: Format = {
  name: "google_chat",
  service: "Google Chat",
  example: "https://chat.googleapis.com/v1/spaces/XXXXXXXXXXX/messages?key=…&token=…",
  check: ({ pathname }) => /^\/v1\/spaces\/[^/]+\/messages$/.test(pathname),
  secret: true,
  signed: false,
  headers: { "content-type": "application/json; charset=UTF-8" },
  body: (event) => JSON.stringify(messageOf(event)),
  classify: (answer) =>
    byStatus({ ...answer, retryAfter: answer.retryAfter ?? waitIn(answer) }, { failed: [...REFUSED, 404] }),
};
