import { ApiError } from "../../../errors.ts";
import { DAY_MS, iso } from "../../../lib/clock.ts";
import { type Html, html } from "../../../lib/html.ts";
import { type ApiKey, type Scope, scopes } from "../../../model/keys.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { icon } from "../layout/icons.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { shortTime } from "../layout/time.ts";
import { teamChoice, teamIdOf, teamOf } from "../team.ts";
import type { MemberRequest } from "../visit.ts";
import { labelled, tick } from "./_labelled.ts";

const SHOWN = 200;
const MOST_FORMS = 100;
/** Lifetimes that a page offers, in days. */
const lifetimes = [30, 90, 365] as const;

interface Draft {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly form_ids: readonly string[];
  readonly days: string;
}
const blank: Draft = { name: "", scopes: ["forms:read", "submissions:read"], form_ids: [], days: "" };

/** The keys of a team, and the way to one more. */
export async function keysScreen(
  visit: MemberRequest,
  fault: ApiError | null = null,
  draft: Draft = blank,
): Promise<Response> {
  const { t, query } = visit;
  const k = t.keys;
  const team = await teamOf(visit);
  const params = { team_id: team.id };
  const id = query.get("revoke");
  if (id !== null) return confirmRevoke(visit, team.id, await visit.call("retrieveKey", { params, body: { id } }));
  const keys = (await visit.call("listKeys", { params })).reverse();
  const rest = keys.length - SHOWN;
  const list =
    keys.length === 0
      ? html`<div class="empty">${icon("tray")}<h2>${k.none()}</h2><p>${k.noneHelp()}</p></div>`
      : table(visit, team.name, team.id, keys.slice(0, SHOWN));
  const content = html`<div class="head"><h1>${k.title()}</h1>${await teamChoice(visit, "/keys", team.id)}</div><p class="muted pad">${k.help()}</p>${list}${
    rest > 0 && html`<p class="muted pad">${k.rest({ count: rest })}</p>`
  }<div class="narrow"><h2>${k.add()}</h2>${await keyForm(visit, team.id, draft, fault)}</div>`;
  return page(visit, { title: k.title(), content, status: fault?.status ?? 200 });
}

function table(visit: MemberRequest, team: string, team_id: string, keys: readonly ApiKey[]): Html {
  const { t, to } = visit;
  const k = t.keys;
  // On a narrow page, where there is no head of the table, the name of a time stands beside it.
  const when = (name: string, time: string | null): Html =>
    html`<td class="time"><span class="tag">${name}: </span>${time === null ? k.never() : shortTime(visit, time)}</td>`;
  const line = (key: ApiKey): Html => {
    const may = key.scopes.length === scopes.length ? [k.everything()] : key.scopes.map((scope) => k[scope]());
    const forms = key.form_ids ? k.formCount({ count: key.form_ids.length }) : k.allForms();
    return html`<tr data-key-id="${key.id}"><th scope="row" class="where"><bdi>${key.name}</bdi> <code class="muted">${key.id}</code></th><td>${new Intl.ListFormat(visit.words.tag, { type: "unit" }).format(may)}</td><td>${forms}</td><td>${stateOf(visit, key)}</td>${when(k.created(), key.created_at)}${when(k.used(), key.last_used_at)}${when(k.expires(), key.expires_at)}<td>${
      key.revoked_at === null &&
      html`<a class="button danger" href="${to("/keys", { team: team_id, revoke: key.id })}" aria-label="${k.revokeOf({ name: key.name })}">${k.revoke()}</a>`
    }</td></tr>`;
  };
  const heads = [k.name(), k.scopes(), k.forms(), k.state(), k.created(), k.used(), k.expires(), k.revoke()];
  return html`<table class="lines"><caption class="sr">${k.caption({ team })}</caption><thead><tr>${heads.map((text) => html`<th scope="col">${text}</th>`)}</tr></thead><tbody>${keys.map(line)}</tbody></table>`;
}

function stateOf({ t, core }: MemberRequest, { revoked_at, expires_at }: ApiKey): Html {
  if (revoked_at !== null) return html`<span class="pill">${t.keys.revoked()}</span>`;
  if (expires_at !== null && Date.parse(expires_at) <= core.clock.now())
    return html`<span class="pill">${t.keys.expired()}</span>`;
  return html`<span class="pill ok">${t.keys.active()}</span>`;
}

async function keyForm(visit: MemberRequest, team_id: string, draft: Draft, fault: ApiError | null): Promise<Html> {
  const { t, to } = visit;
  const k = t.keys;
  const body = { team_id, limit: MOST_FORMS, days: 0 };
  const forms = visit.has("forms:read") ? (await visit.call("overviewForms", { body })).data : [];
  const at = fault?.param ?? (fault ? "name" : "");
  const said = (name: string): string | null => (fault && at.startsWith(name) ? faultText(visit, fault) : null);
  const wrong = (name: string): Html | null => {
    const text = said(name);
    return text === null ? null : html`<p class="error" role="alert">${text}</p>`;
  };
  return html`<form method="post" action="${to("/keys", { team: team_id })}">${labelled(
    { id: "name", label: k.name(), help: k.nameHelp(), fault: said("name") },
    (attributes) =>
      html`<input ${attributes} required maxlength="128" value="${draft.name}" autocomplete="off" dir="auto">`,
  )}<fieldset class="field rows"><legend>${k.scopes()}</legend>${wrong("scopes")}${offered(visit).map((scope) => tick("scopes", scope, k[scope](), draft.scopes.includes(scope)))}</fieldset>${
    forms.length > 1 &&
    html`<fieldset class="field rows"><legend>${k.onlyForms()}</legend>${wrong("form_ids")}<p class="muted">${k.onlyFormsHelp()}</p><div class="ticks">${forms.map(({ id, name }) => tick("form_ids", id, name, draft.form_ids.includes(id)))}</div></fieldset>`
  }${labelled({ id: "days", label: k.lifetime(), fault: said("expires_at") }, (attributes) => {
    const choice = (value: string, text: string): Html =>
      html`<option value="${value}"${draft.days === value && html` selected`}>${text}</option>`;
    return html`<select ${attributes}>${choice("", k.never())}${lifetimes.map((days) => choice(String(days), k.after({ count: days })))}</select>`;
  })}<p class="actions"><button class="button primary">${k.create()}</button></p></form>`;
}

/** Nobody can give a key more than they have. */
const offered = ({ has }: MemberRequest): Scope[] => scopes.filter((scope) => has(scope));

function confirmRevoke(visit: MemberRequest, team_id: string, { id, name }: ApiKey): Promise<Response> {
  const { t, to } = visit;
  const title = t.keys.revokeTitle({ name });
  const content = html`<div class="question"><h1>${title}</h1><p>${t.keys.revokeHelp()}</p><form method="post" action="${to("/keys", { team: team_id })}"><input type="hidden" name="id" value="${id}"><p class="actions"><button class="button danger-fill" name="action" value="revoke">${t.keys.revoke()}</button><a class="button" href="${to("/keys", { team: team_id })}">${t.bulk.cancel()}</a></p></form></div>`;
  return page(visit, { title, content });
}

/** Creates a key, and shows it this once; or revokes one. */
export async function keysAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  const body = await posted(exchange.request);
  const team_id = teamIdOf(visit);
  const params = { team_id };
  if (body.get("action") === "revoke") {
    await visit.call("revokeKey", { params, body: { id: body.get("id") ?? "" } });
    return redirect(settings, to("/keys", { team: team_id }), noticeCookie(visit, "keyRevoked"));
  }
  const draft: Draft = {
    name: body.get("name")?.trim() ?? "",
    scopes: body.getAll("scopes"),
    form_ids: body.getAll("form_ids"),
    days: body.get("days") ?? "",
  };
  try {
    return keyPage(visit, team_id, await visit.call("createKey", { params, body: keyFrom(visit, draft) }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "invalid_parameter") throw error;
    return keysScreen(visit, error, draft);
  }
}

/** The input for a key. An unknown scope is the schema's to refuse. */
function keyFrom({ core }: MemberRequest, { name, scopes: wanted, form_ids, days }: Draft) {
  const lifetime = lifetimes.find((known) => String(known) === days);
  return {
    name,
    scopes: wanted as Scope[],
    form_ids: form_ids.length > 0 ? [...form_ids] : null,
    expires_at: lifetime ? iso(core.clock.now() + lifetime * DAY_MS) : null,
  };
}

/** The only page with the key: the response to a `POST`, so no address leads back to it. */
function keyPage(
  visit: MemberRequest,
  team_id: string,
  { name, key }: { name: string; key: string },
): Promise<Response> {
  const { t, to } = visit;
  const k = t.keys;
  const content = html`<div class="question"><h1>${k.madeTitle()}</h1><p class="muted"><bdi>${name}</bdi></p><p>${k.madeHelp()}</p><pre class="code" tabindex="0" dir="ltr" aria-label="${k.key()}" data-secret data-copy>${key}</pre><p class="actions"><a class="button primary" href="${to("/keys", { team: team_id })}">${k.back()}</a></p></div>`;
  return page(visit, { title: k.madeTitle(), content });
}
