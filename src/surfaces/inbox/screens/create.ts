import { ApiError } from "../../../errors.ts";
import { html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { faultText } from "../faults.ts";
import { page } from "../layout/page.ts";
import type { MemberRequest } from "../visit.ts";

/** Creates a form with a name; everything else has its default. */
export async function createScreen(visit: MemberRequest, fault: ApiError | null = null, name = ""): Promise<Response> {
  const { t, to, member } = visit;
  const c = t.create;
  const teams = (member.caller.team_ids ?? []).length > 1 ? await visit.call("nameTeams") : null;
  const choice =
    teams &&
    html`<div class="field"><label for="team">${c.team()}</label><select id="team" name="team_id">${teams.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}</select></div>`;
  const content = html`<div class="narrow"><h1>${c.title()}</h1><form method="post" action="${to("/new")}"><div class="field"><label for="name">${c.name()}</label>${
    fault && html`<p class="error" id="fault" role="alert">${faultText(visit, fault)}</p>`
  }<input id="name" name="name" required maxlength="128" value="${name}" autocomplete="off" dir="auto" autofocus aria-describedby="${fault ? "fault help" : "help"}"${fault && html` aria-invalid="true"`}><p class="muted" id="help">${t.help.name()}</p></div>${choice}<p class="actions"><button class="button primary">${c.submit()}</button></p></form></div>`;
  return page(visit, { title: c.title(), content, status: fault?.status ?? 200 });
}

/** Creates it, and leads to the snippet. */
export async function createAct(visit: MemberRequest): Promise<Response> {
  const { to, settings, exchange } = visit;
  const body = await posted(exchange.request);
  const name = body.get("name")?.trim() ?? "";
  const team_id = body.get("team_id");
  try {
    const form = (await visit.call("createForm", { body: { name, ...(team_id && { team_id }) } })) as HostForm;
    visit.note("create_form", { team_id: form.team_id, form_id: form.id, ids: [] });
    return redirect(settings, to(`/f/${form.id}/install`));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
    return createScreen(visit, error, name.slice(0, 1_000));
  }
}
