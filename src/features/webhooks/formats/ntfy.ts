import { byStatus, REFUSED } from "./answers.ts";
import { entriesOf, fitted, footOf, moreLine, titleOf } from "./entries.ts";
import { JSON_HEADERS } from "./standard.ts";
import { bytes, cut, type Script } from "./text.ts";
import type { Format, FormatEvent } from "./types.ts";

/** A message of more than 4,096 bytes becomes an attachment. */
const BUDGET = 3_900;
const CAPS = [3_500, 1_700, 800, 350, 150, 60];
const KEY = 150;

/** Counted as JSON writes it: the server refuses a request of more than twice a message, and quotes count two there. */
const script: Script = { pieces: (text) => text, size: (piece) => bytes(JSON.stringify(piece)) - 2 };
const sizeOf = (text: string): number => script.size(text);

const topicOf = ({ pathname }: URL): string => pathname.slice(1);

function messageOf(event: FormatEvent): string {
  const { drawn, more } = fitted(entriesOf(event), {
    caps: CAPS,
    budget: BUDGET,
    draw: ({ key, value, url }, cap) => `${cut(key, KEY, script)}: ${cut(value, cap, script)}${url ? `\n${url}` : ""}`,
    size: (line) => sizeOf(line) + 2,
  });
  return [...drawn, ...(more > 0 ? [moreLine(more)] : []), footOf(event)].join("\n");
}

/** ntfy, of ntfy.sh or of the tenant's own server. */
export const ntfy: Format = {
  name: "ntfy",
  service: "ntfy",
  example: "https://ntfy.sh/<topic>",
  check: ({ pathname }) => /^\/[-_A-Za-z0-9]{1,64}$/.test(pathname),
  secret: false,
  signed: false,
  // Only the root takes JSON.
  address: ({ origin, search }) => `${origin}/${search}`,
  headers: JSON_HEADERS,
  body: (event, url) =>
    JSON.stringify({ topic: topicOf(url), title: cut(titleOf(event), 200, script), message: messageOf(event) }),
  classify: (answer) => byStatus(answer, { failed: REFUSED }),
};
