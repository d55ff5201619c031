import { canParseUrl } from "../../../lib/can-parse-url.ts";
import { isEmail } from "../../../lib/email.ts";
import { type Html, html } from "../../../lib/html.ts";
import { canZip } from "../../../lib/zip.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import type { Item } from "../item.ts";
import { countryName } from "../layout/names.ts";
import { longTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { type Draft, threadOf } from "./_thread.ts";
import { viewOf } from "./files.ts";

/** Pictures that browsers show without running anything, up to a size that suits a list. */
const PICTURE = /^image\/(png|jpeg|gif|webp)$/;
const MOST_BYTES = 2 * 1024 * 1024;
/** Fields that one page shows; the tab with the JSON has all of them. */
const MOST_FIELDS = 1_000;

/** The visitor's input. */
export function messageContent(visit: MemberRequest, item: Item, thread: Html | null = null, zips = false): Html {
  const { submission, form } = item;
  const { t } = visit;
  const labels: Readonly<Record<string, string>> = form?.settings.labels ?? {};
  const label = (key: string): string => (Object.hasOwn(labels, key) ? (labels[key] ?? key) : key);
  const fields = submission.fields.slice(0, MOST_FIELDS).map(({ key, value }) => {
    const name = label(key);
    const shown =
      value.trim() === ""
        ? html`<span class="muted">${t.item.noValue()}</span>`
        : html`<span class="value" dir="auto" data-copy>${linked(key, value)}</span>`;
    return html`<div><dt title="${key}"><bdi>${name}</bdi></dt><dd>${shown}</dd></div>`;
  });
  return html`<section aria-label="${t.item.fields()}"><dl class="fields">${fields}</dl></section>${
    submission.files.length > 0 && files(visit, item, label, zips)
  }${thread}${revisions(visit, submission, label)}${source(visit, submission)}${details(visit, submission)}`;
}

/** The visitor's input, and the conversation about it. */
export const messageTab = async (visit: MemberRequest, item: Item, draft?: Draft): Promise<Html> =>
  messageContent(visit, item, await threadOf(visit, item, draft), item.submission.files.length > 1 && (await canZip()));

/** The files, each with the page that shows it, and one download for all. */
function files(visit: MemberRequest, { submission, at }: Item, label: (key: string) => string, zips: boolean): Html {
  const { t, to, words } = visit;
  const all = submission.files;
  return html`<section><h2>${t.item.files()}</h2><ul class="files">${all.map((file) => {
    const { name, mime_type, size, url, key } = file;
    const picture = PICTURE.test(mime_type) && size <= MOST_BYTES;
    const view = viewOf(visit, at, file);
    return html`<li>${picture && html`<img src="${url}" alt="" loading="lazy" width="96" height="96">`}<div><a href="${view ?? url}"${!view && html` download`}><bdi>${name}</bdi></a><span class="muted"><bdi>${label(key)}</bdi> · ${mime_type} · ${words.size(size)}${view && html` · <a href="${url}" download aria-label="${t.item.downloadFile({ name })}">${t.item.download()}</a>`}</span></div></li>`;
  })}</ul>${all.length > 1 && zips && html`<p><a class="button quiet" href="${to(`${at}/files`)}" download>${t.item.downloadAll()}</a></p>`}</section>`;
}

/** Versions from before the sender changed it, the latest first. */
function revisions(
  visit: MemberRequest,
  { revisions: all = [] }: HostSubmission,
  label: (key: string) => string,
): Html | false {
  const { item } = visit.t;
  if (all.length === 0) return false;
  return html`<section><h2>${item.revisions()}</h2>${all
    .toReversed()
    .map(
      ({ replaced_at, fields }) =>
        html`<details><summary>${item.replaced({ time: visit.words.time(replaced_at) })}</summary><dl class="fields">${fields
          .slice(0, MOST_FIELDS)
          .map(
            ({ key, value }) =>
              html`<div><dt title="${key}"><bdi>${label(key)}</bdi></dt><dd>${value.trim() === "" ? html`<span class="muted">${item.noValue()}</span>` : html`<span class="value" dir="auto">${value}</span>`}</dd></div>`,
          )}</dl></details>`,
    )}</section>`;
}

/** Where the visitor came from; each member leads to the list of all that share it. */
function source(visit: MemberRequest, { form_id, source: members = {} }: HostSubmission): Html | false {
  const { item } = visit.t;
  const own: Readonly<Record<string, string>> = { landing_page: item.landingPage(), referrer: item.referrer() };
  const all = Object.entries(members);
  if (all.length === 0) return false;
  return html`<section><h2>${item.source()}</h2><dl class="details">${all.map(([key, value]) => {
    const name = own[key] ?? key;
    const href = visit.to(`/f/${form_id}`, new URLSearchParams([[`source[${key}][eq]`, value]]));
    return html`<div><dt>${name}</dt><dd><a href="${href}" title="${item.filterBy({ name })}"><bdi>${value}</bdi></a></dd></div>`;
  })}</dl></section>`;
}

function details(visit: MemberRequest, { id, created_at, referer, country, user_agent, ip }: HostSubmission): Html {
  const { item } = visit.t;
  const row = (name: string, value: Html | string | null): Html =>
    html`<div><dt>${name}</dt><dd>${value ?? html`<span class="muted">${item.unknown()}</span>`}</dd></div>`;
  return html`<section><h2>${item.details()}</h2><dl class="details">${row(item.received(), longTime(visit, created_at))}${row(
    item.page(),
    referer && link(referer),
  )}${row(item.country(), country && countryName(visit, country))}${row(item.browser(), user_agent && html`<bdi>${user_agent}</bdi>`)}${row(
    item.address(),
    ip,
  )}${row(item.id(), html`<code>${id}</code>`)}</dl></section>`;
}

/** Fields with a number to call, in the languages of the pages. */
const PHONE =
  /phone|tel|mobil|handy|cell|fax|rückruf|rueckruf|movil|móvil|cellulare|telefoon|komork|celular|cep|טלפון|נייד|هاتف|جوال|موبايل|電話|携帯|电话|手机/iu;
const NUMBER = /^\+?[\d\s()./-]{6,30}$/;

/** A value that is an address, a number to call or the URL of a page, as a link; any other as it is. */
function linked(key: string, value: string): Html {
  const text = value.trim();
  if (text.length > 2_000) return html`${value}`;
  if (isEmail(text)) return html`<a href="mailto:${encodeURIComponent(text).replace(/%40/g, "@")}">${value}</a>`;
  if (PHONE.test(key) && NUMBER.test(text))
    return html`<a href="tel:${text.replace(/\(0\)|[^\d+]/g, "")}" dir="ltr">${value}</a>`;
  return /^https?:\/\/\S+$/i.test(text) ? link(text) : html`${value}`;
}

/** The visitor chooses the referer: only the URL of a page becomes a link. */
const link = (url: string): Html =>
  /^https?:\/\//i.test(url) && canParseUrl(url)
    ? html`<a href="${new URL(url).href}" rel="noreferrer noopener nofollow"><bdi>${url}</bdi></a>`
    : html`<bdi>${url}</bdi>`;
