import type { PlainFormat, WebhookFormat } from "../../../model/webhooks.ts";
import { placeOfDatabase, placeOfSheet, placeOfTable } from "../services/places.ts";
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
  google_sheets: service("Google Sheets", "https://docs.google.com/spreadsheets/d/<id>/edit", placeOfSheet),
  airtable: service("Airtable", "https://airtable.com/app…/tbl…", placeOfTable),
  notion: service("Notion", "https://www.notion.so/<workspace>/<id>?v=…", placeOfDatabase),
  mailchimp: service("Mailchimp", null),
  hubspot: service("HubSpot", null),
};

/** The facts of a service with calls of its own, in which a URL is never called. */
function service(name: string, example: string | null, place: FormatFacts["place"] = null): FormatFacts {
  return { service: name, example, check: () => true, secret: false, signed: false, place };
}
