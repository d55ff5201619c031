import type { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import { isDestination } from "../../../model/destinations.ts";
import { WebhookFormat } from "../../../model/webhooks.ts";
import { faultText } from "../faults.ts";
import type { MemberRequest } from "../visit.ts";

/** Values of a webhook's form, as sent or as stored. */
export interface WebhookDraft {
  readonly url: string;
  readonly format: string;
  readonly description: string;
}

/** A webhook's values in a posted page. */
export const draftOf = (body: URLSearchParams): WebhookDraft => ({
  url: body.get("url")?.trim() ?? "",
  format: body.get("format") ?? "standard",
  description: body.get("description") ?? "",
});

/** The service as its users call it; names are the same in every language. */
const services: Partial<Record<WebhookFormat, string>> = {
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  telegram: "Telegram",
  mattermost: "Mattermost",
  google_chat: "Google Chat",
  ntfy: "ntfy",
  http: "HTTP API",
  google_sheets: "Google Sheets",
  airtable: "Airtable",
  notion: "Notion",
  mailchimp: "Mailchimp",
  hubspot: "HubSpot",
};

/** The formats to choose from. One with settings has no form here, and is offered only to stay as it is. */
const offered = (format: string): WebhookFormat[] =>
  WebhookFormat.options.filter((one) => one === format || !isDestination(one));

/** A format as people know it. */
export function formatName({ t }: MemberRequest, format: string): string {
  if (format === "standard") return t.webhook.formatStandard();
  if (format === "flat") return t.webhook.formatFlat();
  return services[format as WebhookFormat] ?? format;
}

interface FormOptions {
  readonly action: string;
  readonly draft: WebhookDraft;
  readonly fault: ApiError | null;
  readonly button: Html;
}

/** The controls of a webhook, with each fault next to its control. */
export function webhookForm(visit: MemberRequest, { action, draft, fault, button }: FormOptions): Html {
  const { t } = visit;
  const w = t.webhook;
  const known = ["url", "format", "description"];
  const at = fault && known.includes(fault.param ?? "") ? fault.param : fault ? "url" : null;
  const wrong = (name: string): Html | null =>
    at === name && fault ? html`<p class="error" id="fault" role="alert">${faultText(visit, fault)}</p>` : null;
  const described = (name: string, help: string): Html =>
    html` aria-describedby="${at === name ? `fault ${help}` : help}"${at === name && html` aria-invalid="true"`}`;
  const masked = draft.url.includes("…");
  return html`<form method="post" action="${action}"><div class="field"><label for="url">${w.url()}</label>${wrong("url")}<input id="url" name="url" type="text" inputmode="url" required maxlength="2048" value="${draft.url}" dir="ltr" autocomplete="off" spellcheck="false"${described("url", "url-help")}><p class="muted" id="url-help">${masked ? w.urlKept() : w.urlHelp()}</p></div><div class="field"><label for="kind">${w.format()}</label>${wrong("format")}<select id="kind" name="format"${described("format", "kind-help")}>${offered(
    draft.format,
  ).map(
    (one) => html`<option value="${one}"${one === draft.format && html` selected`}>${formatName(visit, one)}</option>`,
  )}</select><p class="muted" id="kind-help">${w.formatHelp()} ${w.formatByApi()}</p></div><div class="field"><label for="description">${w.description()}</label>${wrong("description")}<input id="description" name="description" maxlength="500" value="${draft.description}" dir="auto" autocomplete="off"></div><p class="actions">${button}</p></form>`;
}
