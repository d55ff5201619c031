import { type Html, html } from "../../../lib/html.ts";
import { groups, type Kind, kindName } from "../destinations.ts";
import type { MemberRequest } from "../visit.ts";

/** A tile for each kind of target. */
export function tiles(visit: MemberRequest, form_id: string): Html {
  const { t, to } = visit;
  const tile = (kind: Kind): Html =>
    html`<li><a href="${to(`/f/${form_id}/webhooks/new`, { kind })}">${kindName(visit, kind)}</a></li>`;
  return html`${groups.map(({ name, kinds }) => html`<h3 class="muted">${t.webhook[name]()}</h3><ul class="tiles">${kinds.map(tile)}</ul>`)}`;
}

/** The sentences that tell where a service shows what is asked. */
export function steps({ t, core }: MemberRequest, kind: Kind): Html {
  const shared = kind === "google_sheets" && core.options.integrations.google.credentials !== null;
  const name = shared ? "google_sheets_shared" : kind === "flat" ? "standard" : kind;
  const text = t.steps[name]({ tag: "{{name}}", all: "{{all_fields}}" });
  return html`<h2 class="sr">${t.webhook.stepsTitle()}</h2><ol class="steps">${text.split("\n").map((line) => html`<li>${line}</li>`)}</ol>`;
}

/** The address to share a spreadsheet with. */
export function sharing({ t }: MemberRequest, address: string | undefined): Html | null {
  if (address === undefined) return null;
  return html`<div class="share"><p>${t.webhook.shareWith()}</p><pre class="code" tabindex="0" dir="ltr" aria-label="${t.webhook.shareWith()}" data-copy>${address}</pre></div>`;
}
