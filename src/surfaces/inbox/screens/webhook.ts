import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import type { Webhook, WebhookTest } from "../../../model/webhooks.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { answerOf } from "../deliveries.ts";
import { formatName, isSigned, titleOf } from "../destinations.ts";
import { icon } from "../layout/icons.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { longText } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";
import { webhookForm } from "./_webhook-form.ts";
import { sharing } from "./_webhook-tiles.ts";
import { inputOf, postedValues, storedValues, type Values } from "./_webhook-values.ts";
import { LARGE } from "./webhook-new.ts";
import { secretPage, stateMark } from "./webhooks.ts";

interface Found {
  readonly form: HostForm;
  readonly webhook: Webhook;
  readonly at: string;
}

/** The webhook in the path. Throws `webhook_not_found`, and the errors of `formOf`. */
async function found(visit: MemberRequest): Promise<Found> {
  const form = await formOf(visit);
  const webhook = form.webhooks.find(({ id }) => id === visit.params["webhook_id"]);
  if (!webhook) throw new ApiError("webhook_not_found");
  return { form, webhook, at: `/f/${form.id}/webhooks/${webhook.id}` };
}

/** More of the page of a webhook than its address asks for. */
interface More {
  readonly fault?: ApiError;
  readonly sent?: Values;
  readonly test?: WebhookTest;
}

/** One webhook: its state, its actions and its settings. */
export async function webhookScreen(visit: MemberRequest, { fault, sent, test }: More = {}): Promise<Response> {
  const { t, to, has, query } = visit;
  const w = t.webhook;
  const { form, webhook, at } = await found(visit);
  if (query.get("confirm") === "delete" && has("forms:write")) return confirmDelete(visit, { form, webhook, at });
  const { url, format = "standard", description, config } = webhook;
  const since = await visit.call("failingSince", { params: { form_id: form.id }, body: { id: webhook.id } });
  const values = { ...storedValues(webhook), ...sent };
  const button = html`<button class="button primary" name="action" value="save">${w.save()}</button>`;
  const settings = has("forms:write")
    ? html`<section>${webhookForm(visit, { action: to(at), kind: format, values, fault: fault ?? null, button, stored: webhook })}</section>`
    : html`<section><dl class="details"><div><dt>${w.format()}</dt><dd>${formatName(visit, format)}</dd></div>${description !== "" && html`<div><dt>${w.description()}</dt><dd dir="auto">${description}</dd></div>`}</dl></section>`;
  const health = since !== null && html`<p class="error">${w.failing({ time: longText(visit, since) })}</p>`;
  const own = config?.credentials?.client_email;
  const shared = visit.core.options.integrations.google.credentials?.client_email;
  const share = format === "google_sheets" && has("forms:write") && sharing(visit, own ?? shared);
  const next =
    query.get("made") !== null && has("forms:write") && html`<p class="notice" role="status">${w.made()}</p>`;
  const title = titleOf(visit, webhook);
  const content = html`<article class="item"><div class="item-bar"><a class="button quiet" href="${to(`/f/${form.id}/webhooks`)}">${icon("back")}${w.back()}</a></div><header class="item-head"><h1><bdi>${title}</bdi></h1>${title !== url && html`<p class="muted where"><bdi>${url}</bdi></p>`}<p>${stateMark(visit, webhook)} ${formatName(visit, format)}</p>${await last(visit, form, webhook)}${health}${next}${share}${tested(visit, test)}${acts(visit, { form, webhook, at })}</header>${settings}</article>`;
  return page(visit, { title, form_id: form.id, content, status: fault?.status ?? 200 });
}

const endings = ["succeeded", "failed", "retrying", "skipped", "pending"] as const;

/** The state of the latest delivery in words, with those of the service. */
async function last(visit: MemberRequest, form: HostForm, { id, last_delivery }: Webhook): Promise<Html> {
  const { t, has } = visit;
  const w = t.webhook;
  if (!last_delivery) return html`<p class="muted">${w.last()}: ${w.never()}</p>`;
  const { at, status, response_status } = last_delivery;
  const ending = endings.find((one) => one === status) ?? "pending";
  const line = html`<p class="muted">${w[ending]({ time: longText(visit, at) })}${response_status !== null && html` (${t.delivery.status({ status: String(response_status) })})`}</p>`;
  if (status === "succeeded" || !has("submissions:read")) return line;
  // Newer ones may have been skipped, because it was turned off.
  const asked = { params: { form_id: form.id }, body: { webhook: id, status: ending } };
  const [job] = (await visit.call("listDeliveryLog", asked)).rows;
  const said = job ? answerOf(visit, job.value) : null;
  return html`${line}${said !== null && html`<p class="said" dir="auto">${said}</p>`}`;
}

function acts({ t, to, has, shows }: MemberRequest, { form, webhook, at }: Found): Html {
  const w = t.webhook;
  const post = (path: string, name: string, title: string, kind = ""): Html =>
    html`<form method="post" action="${to(path)}"><button class="button ${kind}" title="${title}">${name}</button></form>`;
  const act = (action: string, name: string, title: string | null = null): Html =>
    html`<form method="post" action="${to(at)}"><button class="button" name="action" value="${action}"${title !== null && html` title="${title}"`}>${name}</button></form>`;
  return html`<div class="acts">${
    shows("deliveries") &&
    html`<a class="button" href="${to(`/f/${form.id}/deliveries`, { webhook: webhook.id })}">${w.log()}</a>`
  }${
    has("forms:write") &&
    html`${post(`${at}/test`, w.test(), w.testHelp())}${act("fill", w.fill(), w.fillHelp())}${act(webhook.enabled ? "pause" : "resume", webhook.enabled ? w.pause() : w.resume())}${isSigned(webhook.format ?? "standard") && post(`${at}/rotate`, w.rotate(), w.rotateHelp())}<a class="button danger" href="${to(at, { confirm: "delete" })}">${w.delete()}</a>`
  }</div>`;
}

/** The result of a test: of a destination in words, otherwise from the address after it. */
function tested({ t, query }: MemberRequest, test: WebhookTest | undefined): Html | null {
  const w = t.webhook;
  if (test) {
    const { delivered, message } = test;
    return html`<div class="${delivered ? "notice" : "error"}" role="status"><p>${delivered ? w.testArrived() : w.testMissed()}</p>${message !== undefined && html`<p class="said" dir="auto">${message}</p>`}</div>`;
  }
  const [said] = /^([1-5]\d\d|[A-Z][A-Z0-9_]{0,60})$/.exec(query.get("tested") ?? "") ?? [];
  if (said === undefined) return null;
  const arrived = said.startsWith("2");
  const text = arrived
    ? w.testOk({ status: said })
    : /^\d/.test(said)
      ? w.testRefused({ status: said })
      : w.testFailed({ code: said });
  return html`<p class="${arrived ? "notice" : "error"}" role="status">${text}</p>`;
}

function confirmDelete(visit: MemberRequest, { form, webhook, at }: Found): Promise<Response> {
  const { t, to } = visit;
  const w = t.webhook;
  const content = html`<div class="question"><h1>${w.deleteTitle()}</h1><p>${w.deleteHelp({ url: webhook.url })}</p><form method="post" action="${to(at)}"><p class="actions"><button class="button danger-fill" name="action" value="delete">${w.delete()}</button><a class="button" href="${to(at)}">${t.bulk.cancel()}</a></p></form></div>`;
  return page(visit, { title: w.deleteTitle(), form_id: form.id, content });
}

const patches = { pause: { enabled: false }, resume: { enabled: true } } as const;

/** Changes, fills, pauses, resumes or deletes a webhook. */
export async function webhookAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  const body = await posted(exchange.request, LARGE);
  const { form, webhook, at } = await found(visit);
  const params = { form_id: form.id, webhook_id: webhook.id };
  const noted = { team_id: form.team_id, form_id: form.id, ids: [webhook.id] };
  const action = body.get("action");
  if (action === "delete") {
    await visit.call("deleteWebhook", { params });
    visit.note("delete_webhook", noted);
    return redirect(settings, to(`/f/${form.id}/webhooks`), noticeCookie(visit, "webhookDeleted"));
  }
  if (action === "fill") {
    const { queued, has_more } = await visit.call("backfillWebhook", { params, body: {} });
    visit.note("backfill_webhook", noted);
    return redirect(settings, to(at), noticeCookie(visit, has_more ? "webhookFilledSome" : "webhookFilled", queued));
  }
  const isState = action === "pause" || action === "resume";
  try {
    const change = isState ? patches[action] : inputOf(webhook.format ?? "standard", body, webhook);
    await visit.call("updateWebhook", { params, body: change });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.status === 403) throw error;
    return webhookScreen(visit, { fault: error, ...(!isState && { sent: postedValues(body) }) });
  }
  visit.note("update_webhook", noted);
  return redirect(settings, to(at), noticeCookie(visit, "webhookSaved"));
}

/** Sends a test event, and says how it went: a service in its words, on this page alone. */
export async function webhookTest(visit: MemberRequest): Promise<Response> {
  const { form, webhook, at } = await found(visit);
  const params = { form_id: form.id, webhook_id: webhook.id };
  const test = await visit.call("testWebhook", { params });
  visit.note("test_webhook", { team_id: form.team_id, form_id: form.id, ids: [webhook.id] });
  if (webhook.config !== undefined) return webhookScreen(visit, { test });
  const { http_status, node_error_code } = test;
  const said = http_status === null ? (node_error_code ?? "ERROR") : String(http_status);
  return redirect(visit.settings, visit.to(at, { tested: said }));
}

/** Gives it a new secret, and shows that this once. */
export async function webhookRotate(visit: MemberRequest): Promise<Response> {
  const { form, webhook } = await found(visit);
  const params = { form_id: form.id, webhook_id: webhook.id };
  try {
    const made = await visit.call("rotateWebhookSecret", { params, body: {} });
    visit.note("rotate_webhook", { team_id: form.team_id, form_id: form.id, ids: [webhook.id] });
    return await secretPage(visit, form, made);
  } catch (error) {
    if (!(error instanceof ApiError) || error.param !== "expire_previous") throw error;
    return webhookScreen(visit, { fault: error });
  }
}
