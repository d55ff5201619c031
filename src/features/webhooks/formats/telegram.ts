import { escapeHtml } from "../../../lib/html.ts";
import { byStatus, membersOf, REFUSED, seconds } from "./answers.ts";
import { entriesOf, fitted, footOf, moreLine, titleOf } from "./entries.ts";
import { JSON_HEADERS } from "./standard.ts";
import { APART, cut, type Script, unmentioned } from "./text.ts";
import type { Answer, Format, FormatEvent, Verdict } from "./types.ts";

/** 4,096 UTF-16 units after entities are resolved, minus title, footer and the line about missing entries. */
const BUDGET = 3_600;
const CAPS = [3_000, 1_500, 700, 300, 120, 50];
const KEY = 100;
/** Telegram drops styles and links beyond 100 of them. Title and foot have one each, a file two. */
const MAX_STYLES = 98;

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const script: Script = {
  *pieces(text) {
    for (const char of inert(text)) yield ESCAPES[char] ?? char;
  },
  // A resolved entity is one unit.
  size: (piece) => (piece.length > 2 ? 1 : piece.length),
};

/** The text with nothing in it that Telegram makes a mention, a hashtag, a cashtag or a bot's command of. */
const inert = (text: string): string =>
  unmentioned(text).replace(/(?<![\p{L}\p{N}_/])([#$/])(?=[\p{L}\p{N}_])/gu, `$1${APART}`);

interface Line {
  readonly html: string;
  readonly size: number;
}

function textOf(event: FormatEvent): string {
  const entries = entriesOf(event);
  const { drawn, more } = fitted<Line>(entries, {
    caps: CAPS,
    most: entries.some(({ url }) => url) ? MAX_STYLES / 2 : MAX_STYLES,
    budget: BUDGET,
    draw: ({ key, value, url }, cap) => {
      const [label, text] = [cut(key, KEY, script), cut(value, cap, script)];
      const shown = url ? `<a href="${escapeHtml(url)}">${text}</a>` : text;
      return { html: `<b>${label}</b>\n${shown}`, size: sizeOf(label) + sizeOf(text) + 3 };
    },
    size: ({ size }) => size,
  });
  const foot = more > 0 ? `${moreLine(more)}\n${footOf(event)}` : footOf(event);
  return [`<b>${cut(titleOf(event), 250, script)}</b>`, ...drawn.map(({ html }) => html), `<i>${foot}</i>`].join(
    "\n\n",
  );
}

const sizeOf = (written: string): number => written.replace(/&\w+;/g, "&").length;

/** Other parameters of a URL about the place and look of a message. */
function target({ searchParams }: URL): Record<string, string | number | boolean> {
  const thread = Number(searchParams.get("message_thread_id"));
  return {
    chat_id: searchParams.get("chat_id") ?? "",
    ...(Number.isInteger(thread) && thread > 0 && { message_thread_id: thread }),
    ...(searchParams.get("disable_notification") === "true" && { disable_notification: true }),
  };
}

function classify(answer: Answer): Verdict {
  const { ok, error_code, description, parameters } = membersOf(answer.body);
  const refused = ok === false;
  const status = refused && typeof error_code === "number" ? error_code : answer.status;
  const wait = seconds((parameters as { retry_after?: unknown } | undefined)?.retry_after);
  const verdict = byStatus(
    { ...answer, status, retryAfter: wait ?? answer.retryAfter },
    { failed: [...REFUSED, 401, 403] },
  );
  if (!refused) return verdict;
  // An `ok: false` without a code says nothing about the next attempt.
  const end = verdict.end === "delivered" ? "retry" : verdict.end;
  return { ...verdict, end, status, message: `Telegram answered ok: false, ${status}: ${String(description ?? "")}` };
}

/** Telegram, by a bot's `sendMessage`. */
export const telegram: Format = {
  name: "telegram",
  service: "Telegram",
  example: "https://api.telegram.org/bot<token>/sendMessage?chat_id=<id>",
  check: ({ pathname, searchParams }) =>
    /^\/bot[^/]+\/sendMessage$/.test(pathname) && /^(?:-?\d+|@\w+)$/.test(searchParams.get("chat_id") ?? ""),
  secret: true,
  signed: false,
  address: ({ origin, pathname }) => origin + pathname,
  headers: JSON_HEADERS,
  body: (event, url) =>
    JSON.stringify({
      ...target(url),
      text: textOf(event),
      parse_mode: "HTML",
      link_preview_options: { is_disabled: true },
    }),
  readsSuccess: true,
  classify,
};
