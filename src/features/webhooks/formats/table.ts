import type { PlainFormat, WebhookFormat } from "../../../model/webhooks.ts";
import { discord } from "./discord.ts";
import { flat } from "./flat.ts";
import { google_chat } from "./google-chat.ts";
import { mattermost } from "./mattermost.ts";
import { ntfy } from "./ntfy.ts";
import { slack } from "./slack.ts";
import { standard } from "./standard.ts";
import { teams } from "./teams.ts";
import { telegram } from "./telegram.ts";
import type { Format, FormatFacts } from "./types.ts";

/** Every format that needs nothing but a URL, by its name. */
export const formats: Readonly<Record<PlainFormat, Format>> = {
  standard,
  flat,
  slack,
  discord,
  teams,
  telegram,
  mattermost,
  google_chat,
  ntfy,
};

/** The facts of every format, destinations among them; the work of these is loaded when a webhook needs it. */
export const facts: Readonly<Record<WebhookFormat, FormatFacts>> = {
  ...formats,
  http: { service: "an HTTP API", example: null, check: () => true, secret: false, signed: true },
};
