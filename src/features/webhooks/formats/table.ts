import type { WebhookFormat } from "../../../model/webhooks.ts";
import { discord } from "./discord.ts";
import { flat } from "./flat.ts";
import { google_chat } from "./google-chat.ts";
import { mattermost } from "./mattermost.ts";
import { ntfy } from "./ntfy.ts";
import { slack } from "./slack.ts";
import { standard } from "./standard.ts";
import { teams } from "./teams.ts";
import { telegram } from "./telegram.ts";
import type { Format } from "./types.ts";

/** Every format by its name. */
export const formats: Readonly<Record<WebhookFormat, Format>> = {
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
