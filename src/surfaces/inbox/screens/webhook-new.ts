import { ApiError } from "../../../errors.ts";
import { html } from "../../../lib/html.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { isSigned, type Kind, kindName, kindOf } from "../destinations.ts";
import { icon } from "../layout/icons.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";
import { webhookForm } from "./_webhook-form.ts";
import { sharing, steps } from "./_webhook-tiles.ts";
import { blankOf, inputOf, postedValues, type Values } from "./_webhook-values.ts";
import { secretPage, webhooksScreen } from "./webhooks.ts";

/** Settings of HTTP APIs have templates of 32 KiB, each byte of which may take three. */
export const LARGE = { bytes: 256 * 1024, values: 100 };

/** The page of one kind: the way to what it asks, and its form. One without a kind is the page of all tiles. */
export async function webhookNewScreen(
  visit: MemberRequest,
  kind: Kind | null = kindOf(visit.query.get("kind")),
  fault: ApiError | null = null,
  values: Values = {},
): Promise<Response> {
  const { t, to } = visit;
  const w = t.webhook;
  if (kind === null) return webhooksScreen(visit, fault);
  const form = await formOf(visit);
  const at = to(`/f/${form.id}/webhooks`);
  const title = w.newTitle({ service: kindName(visit, kind) });
  const button = html`<button class="button primary">${w.create()}</button><a class="button" href="${at}">${t.bulk.cancel()}</a>`;
  const fields = webhookForm(visit, {
    action: at,
    kind,
    values: { ...blankOf(kind), ...values },
    fault,
    button,
    stored: null,
  });
  const content = html`<div class="narrow made"><p><a class="button quiet" href="${at}">${icon("back")}${w.back()}</a></p><h1>${title}</h1>${steps(visit, kind)}${kind === "google_sheets" && sharing(visit, visit.core.options.integrations.google.credentials?.client_email)}${fields}</div>`;
  return page(visit, { title, form_id: form.id, content, status: fault?.status ?? 200 });
}

/** Creates a webhook. One whose receiver checks a signature shows its secret this once. */
export async function webhooksAct(visit: MemberRequest): Promise<Response> {
  const { exchange, settings, to } = visit;
  const body = await posted(exchange.request, LARGE);
  const form = await formOf(visit);
  const kind = kindOf(body.get("kind") ?? "standard");
  if (kind === null) throw new ApiError("not_found");
  try {
    const made = await visit.call("createWebhook", { params: { form_id: form.id }, body: inputOf(kind, body) });
    visit.note("create_webhook", { team_id: form.team_id, form_id: form.id, ids: [made.id] });
    // A service that a preset is for checks no signature of ours.
    if (isSigned(kind)) return secretPage(visit, form, made);
    return redirect(
      settings,
      to(`/f/${form.id}/webhooks/${made.id}`, { made: 1 }),
      noticeCookie(visit, "webhookCreated"),
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return webhookNewScreen(visit, kind, error, postedValues(body));
  }
}
