import { type Html, html } from "../../../lib/html.ts";
import type { LoggedDelivery } from "../../../model/deliveries.ts";
import type { HostForm } from "../../../model/forms.ts";
import type { JobRecord } from "../../../model/jobs.ts";
import { addressOf, isKeptBack } from "../deliveries.ts";
import { count, longTime, shortTime } from "../layout/time.ts";
import type { Texts } from "../texts.ts";
import type { MemberRequest, PublicRequest } from "../visit.ts";

/** The sentence of a group by a stored name; the name itself if the catalogue has none. */
export function named(group: Texts["delivery"] | Texts["spam"], name: string): string {
  const sentences = group as Readonly<Record<string, (values?: object) => string>>;
  return Object.hasOwn(sentences, name) ? (sentences[name]?.() ?? name) : name;
}

const looks: Readonly<Record<JobRecord["status"], string>> = {
  succeeded: "ok",
  failed: "bad",
  retrying: "warn",
  pending: "",
  skipped: "",
};

/** The state of a delivery, as a coloured mark. */
export const statusMark = ({ t }: PublicRequest, status: JobRecord["status"]): Html =>
  html`<span class="pill ${looks[status]}">${named(t.delivery, status)}</span>`;

/** The result: a sentence if there is one, otherwise the code. */
export function resultOf(
  { t }: PublicRequest,
  { code, http_status, message }: Pick<JobRecord, "code" | "message"> & { http_status?: number },
): Html {
  const said = named(t.delivery, code);
  // A mail service that is called over HTTP says so at the beginning of its answer.
  const isSmtp = code.startsWith("ERROR_EMAIL") && message?.startsWith("HTTP ") !== true;
  const http =
    http_status !== undefined &&
    html`<bdi class="muted whole">${
      isSmtp ? `SMTP ${http_status}` : t.delivery.status({ status: String(http_status) })
    }</bdi>`;
  if (code === "SUCCESS" || code === "PENDING") return html`${http}`;
  return html`${said === code ? codeText(code) : said}${http && html` ${http}`}`;
}

/** A code that may break after each of its parts, where a column is narrow. */
const codeText = (code: string): Html =>
  html`<code dir="ltr">${code.split("_").map((part, at) => html`${at > 0 && html`_<wbr>`}${part}`)}</code>`;

/** The recipient. An address that is stored encrypted is in no delivery. */
export const addressText = (visit: MemberRequest, form: HostForm | null, job: JobRecord): Html => {
  const { t } = visit;
  if (isKeptBack(visit, job)) return html`<span class="muted">${t.delivery.keptBack()}</span>`;
  const address = addressOf(form, job);
  const { copies } = job;
  if (copies) {
    const named = (words: string, list: readonly string[]): string =>
      list.length > 0 ? `; ${words} ${list.join(", ")}` : "";
    return html`<bdi>${[address, ...copies.to].join(", ")}${named("Cc", copies.cc)}${named("Bcc", copies.bcc)}</bdi>`;
  }
  return address === "" ? html`<span class="muted">${t.delivery.hidden()}</span>` : html`<bdi>${address}</bdi>`;
};

/** Deliveries as lines of a table. */
export function deliveryTable(
  visit: MemberRequest,
  form: HostForm | null,
  form_id: string,
  rows: readonly LoggedDelivery[],
  caption: string,
): Html {
  const { t, to } = visit;
  const d = t.delivery;
  const lines = rows.map(({ id, value }) => {
    const name = named(d, value.kind);
    const what = form ? html`<a href="${to(`/f/${form_id}/deliveries/${id}`)}">${name}</a>` : name;
    return html`<tr data-delivery-id="${id}"><th scope="row">${what}</th><td class="where">${addressText(visit, form, value)}</td><td>${statusMark(visit, value.status)}</td><td class="result">${resultOf(visit, value)}</td><td class="num attempts">${value.attempt}</td><td class="time">${shortTime(visit, value.occurred_at)}</td></tr>`;
  });
  return html`<table class="lines"><caption class="sr">${caption}</caption><thead><tr><th scope="col">${d.what()}</th><th scope="col">${d.to()}</th><th scope="col">${d.state()}</th><th scope="col">${d.result()}</th><th scope="col" class="num">${d.attempts()}</th><th scope="col">${d.time()}</th></tr></thead><tbody>${lines}</tbody></table>`;
}

/** Every attempt that is kept, the latest first. */
export function timeline(
  visit: MemberRequest,
  job: JobRecord,
  answer: (attempt: { readonly code: string; readonly message?: string | undefined }) => string | null,
): Html {
  const d = visit.t.delivery;
  const { attempts = [] } = job;
  if (attempts.length === 0) return html`<p class="muted">${d.noAttempts()}</p>`;
  const early = Math.max(0, job.attempt - attempts.length);
  return html`<ol class="timeline" aria-label="${d.timeline()}">${attempts.toReversed().map((attempt) => {
    const said = answer(attempt);
    return html`<li>${statusMark(visit, attempt.status === "retrying" ? "failed" : attempt.status)} ${resultOf(visit, attempt)} <bdi class="muted when">${longTime(visit, attempt.at)} · <span class="whole">${d.took({ time: count(visit, attempt.ms) })}</span></bdi>${said && html`<p class="said" dir="auto">${said}</p>`}</li>`;
  })}</ol>${early > 0 && html`<p class="muted">${d.early({ count: early })}</p>`}`;
}
