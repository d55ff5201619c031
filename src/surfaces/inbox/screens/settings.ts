import { ApiError } from "../../../errors.ts";
import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import type { HostSubmission } from "../../../model/submissions.ts";
import { AUTO } from "../../../texts/locales/_languages.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { languageName } from "../layout/names.ts";
import { noticeCookie } from "../layout/notice.ts";
import { page } from "../layout/page.ts";
import { tabs } from "../layout/tabs.ts";
import { type Changes, changesOf, LIMITS, wasName, wasOf } from "../settings/changes.ts";
import type { Shown } from "../settings/controls.ts";
import { choiceName } from "../settings/inputs.ts";
import { rowsKindOf, shownText } from "../settings/kinds.ts";
import { type Leaf, leavesOf, type Section, sections, storedOf } from "../settings/leaves.ts";
import { destinationsOf } from "../settings/routing-controls.ts";
import { conditionLike } from "../settings/rule-like.ts";
import type { MemberRequest } from "../visit.ts";
import { formHead, formOf } from "./_form-head.ts";
import { previewPanel } from "./_preview-panel.ts";
import { saveBar, settingControls } from "./_settings-form.ts";
import { type Tested, testForm } from "./_test-form.ts";
import { trialPanel } from "./_trial-panel.ts";
import { unreached } from "./_unreached.ts";

const TRIES = 10;
/** Characters of another's value that a sentence quotes, and that a box shows. */
const QUOTED = 120;
const SHOWN = 20_000;

/** A page that could not be saved: its texts, and what is wrong with them. */
interface Refused {
  readonly changes: Changes;
  readonly body: URLSearchParams;
  readonly faults: ReadonlyMap<string, string>;
  /** A fault that belongs to no leaf of this page. */
  readonly other: string | null;
  readonly status: number;
}

/** One section of a form's settings. */
export async function settingsScreen(
  visit: MemberRequest,
  section: Section,
  refused: Refused | null = null,
  test: Tested | null = null,
): Promise<Response> {
  const { t, to, settings, has } = visit;
  const form = await formOf(visit);
  const leaves = leavesOf(section, settings.hide);
  const may = has("forms:write");
  const at = `/f/${form.id}/settings`;
  const shown = await Promise.all(leaves.map((leaf) => shownOf(visit, form, leaf, refused)));
  const links = sections
    .filter((one) => leavesOf(one, settings.hide).length > 0)
    .map((one) => ({ text: t.settings[one](), href: to(`${at}/${one}`), current: one === section }));
  const panel = may ? ((await previewPanel(visit, form, section)) ?? trialPanel(visit, form, section)) : null;
  const content = html`${formHead(visit, form, "settings")}${await unreached(visit, form)}<div class="settings">${tabs(t.settings.sections(), links)}${refused && summary(visit, refused)}${
    !may && html`<p class="muted">${t.settings.readOnly()}</p>`
  }<form method="post" action="${to(`${at}/${section}`)}" class="${panel ? "halves" : "halves one"}" novalidate${may && html` data-settings`}><div class="narrow">${settingControls(visit, form, shown)}${
    may && saveBar(visit, to(`${at}/${section}`))
  }</div>${panel}</form>${may && testForm(visit, form, section, test)}</div>`;
  const title = `${t.settings[section]()} · ${t.settings.title({ form: form.name })}`;
  return page(visit, { title, form_id: form.id, content, status: refused?.status ?? test?.fault?.status ?? 200 });
}

/** Says that nothing was saved, and leads to the first fault. */
function summary({ t }: MemberRequest, { faults, other }: Refused): Html {
  const links = [...faults.keys()].map(
    (path) => html` <a href="#${path}">${t.settings.faultAt({ leaf: t.leaf[path as Leaf["path"]]() })}</a>`,
  );
  return html`<p class="error" role="alert">${t.settings.fault()}${other && html` ${other}`}${links}</p>`;
}

async function shownOf(visit: MemberRequest, form: HostForm, leaf: Leaf, refused: Refused | null): Promise<Shown> {
  const { t, has, member, core } = visit;
  const stored = storedOf(form, leaf);
  const fault = refused?.faults.get(leaf.path) ?? null;
  const overtaken = refused?.changes.conflicts.includes(leaf) ?? false;
  const sent = refused?.body.get(wasName(leaf.path)) ?? null;
  const shown: Shown = {
    leaf,
    theirs: overtaken ? theirsOf(leaf, stored) : null,
    text: refused?.changes.texts.get(leaf.path) ?? shownText(leaf.kind, stored),
    // After a conflict, the next press saves over what was shown as the other's value.
    was: sent !== null && !overtaken ? sent : wasOf(leaf, stored),
    fault,
    disabled: !has("forms:write") || (leaf.admin && member.caller.scopes !== "all"),
  };
  switch (leaf.kind) {
    case "server": {
      const servers = await visit.call("nameServers", { params: { form_id: form.id } });
      const own = servers.map(({ id, name }) => [id, name || id] as const);
      return { ...shown, choices: [["", t.settings.serverOwn()], ...own] };
    }
    case "language": {
      const named = core.options.languages.tags.map((tag) => [tag, languageName(visit, tag)] as const);
      return { ...shown, choices: [[AUTO, choiceName(visit, AUTO)], ...named] };
    }
    case "routing":
    case "target": {
      const like = leaf.kind === "routing" && !refused ? await likeOf(visit, form) : null;
      return { ...shown, destinations: { ...destinationsOf(form), like } };
    }
    case "secret":
      return { ...shown, note: form.spam.captcha.secret_key_set ? t.settings.isSet() : null };
    default:
      return shown;
  }
}

/** The condition for submissions like the one that the person came from. */
async function likeOf(visit: MemberRequest, { id }: HostForm): Promise<ReturnType<typeof conditionLike>> {
  const from = visit.query.get("from");
  if (from === null || !visit.has("submissions:read")) return null;
  try {
    const params = { form_id: id, submission_id: from };
    return conditionLike((await visit.call("retrieveSubmission", { params })) as HostSubmission);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return null;
    throw error;
  }
}

/** Saves the leaves that were changed on the page, and no others. */
export async function settingsAct(visit: MemberRequest, section: Section): Promise<Response> {
  const { settings, exchange, member } = visit;
  const body = await posted(exchange.request, LIMITS);
  const leaves = leavesOf(section, settings.hide).filter(({ admin }) => !admin || member.caller.scopes === "all");
  for (let tries = 1; ; tries++) {
    try {
      return await save(visit, section, leaves, body);
    } catch (error) {
      // Somebody saved between our reading and writing: compare with what is there now.
      if (!(error instanceof ApiError) || error.code !== "version_mismatch" || tries === TRIES) throw error;
    }
  }
}

async function save(
  visit: MemberRequest,
  section: Section,
  leaves: readonly Leaf[],
  body: URLSearchParams,
): Promise<Response> {
  const { to, settings } = visit;
  const headers: Record<string, string> = {};
  const form = await formOf(visit, headers);
  const changes = changesOf(leaves, form, body);
  if (changes.conflicts.length > 0) return settingsScreen(visit, section, overtakenBy(visit, form, changes, body));
  try {
    if (changes.changed.length > 0) {
      const ifMatch = headers["etag"];
      await visit.call("updateForm", { params: { form_id: form.id }, body: changes.patch, ifMatch });
      visit.note("update_form", {
        team_id: form.team_id,
        form_id: form.id,
        ids: changes.changed.map(({ path }) => path),
      });
    }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500 || error.code === "insufficient_scope") throw error;
    if (error.code !== "invalid_parameter" && error.code !== "plan_restricted") throw error;
    return settingsScreen(visit, section, await refusedBy(visit, form, changes, body, error));
  }
  const location = to(`/f/${form.id}/settings/${section}`);
  return redirect(settings, location, noticeCookie(visit, "settings", changes.changed.length));
}

/** What somebody else saved, where a sentence is too short for it. */
function theirsOf(leaf: Leaf, stored: unknown): string | null {
  const text = rowsKindOf(leaf.kind) ? JSON.stringify(stored, null, 2) : shownText(leaf.kind, stored);
  return rowsKindOf(leaf.kind) || text.length > QUOTED || text.includes("\n") ? text.slice(0, SHOWN) : null;
}

function overtakenBy({ t }: MemberRequest, form: HostForm, changes: Changes, body: URLSearchParams): Refused {
  const said = (leaf: Leaf): string => {
    if (rowsKindOf(leaf.kind)) return t.settings.conflictRows();
    const text = shownText(leaf.kind, storedOf(form, leaf));
    const value =
      leaf.kind === "flag"
        ? text === "on"
          ? t.settings.on()
          : t.settings.off()
        : `“${text.slice(0, QUOTED)}${text.length > QUOTED ? "…" : ""}”`;
    return t.settings.conflict({ value });
  };
  const faults = new Map(changes.conflicts.map((leaf) => [leaf.path as string, said(leaf)]));
  return { changes, body, faults, other: null, status: 409 };
}

/** A refusal at the leaf that it is about. */
async function refusedBy(
  visit: MemberRequest,
  form: HostForm,
  changes: Changes,
  body: URLSearchParams,
  error: ApiError,
) {
  const { param = "" } = error;
  const within = (outer: string, inner: string): boolean => `${inner}.`.startsWith(`${outer}.`);
  const leaf =
    changes.changed.find(({ path }) => within(path, param)) ??
    changes.changed.find(({ path }) => within(param, path)) ??
    leavesOf(changes.changed[0]?.section ?? "general", []).find(({ path }) => within(path, param));
  const text = error.code === "plan_restricted" ? await planText(visit, form, error) : faultText(visit, error);
  const faults = new Map(leaf ? [[leaf.path as string, text]] : []);
  return { changes, body, faults, other: leaf ? null : text, status: error.status };
}

async function planText(visit: MemberRequest, { id }: HostForm, error: ApiError): Promise<string> {
  const { t } = visit;
  const plan = await visit.call("planOfForm", { params: { form_id: id } });
  const said = t.settings.plan({ plan: plan?.name ?? "" });
  const limit = plan?.recipients;
  return error.param?.endsWith(".recipients") && limit
    ? `${said} ${t.settings.planRecipients({ count: limit })}`
    : said;
}
