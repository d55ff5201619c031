import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { icon } from "../layout/icons.ts";
import { mayAll } from "../roles.ts";
import type { MemberRequest } from "../visit.ts";

/** A warning that recipients of a form get no mail; null where all of them do. */
export async function unreached(visit: MemberRequest, form: HostForm): Promise<Html | null> {
  const { t, to, shows, member } = visit;
  const found = await visit.call("unreachedRecipients", { params: { form_id: form.id } });
  if (found.length === 0) return null;
  const addresses = new Intl.ListFormat(visit.words.tag, { type: "conjunction" }).format(
    found.map(({ email }) => email),
  );
  const opens = shows("suppressions") && mayAll(member) && !member.caller.form_ids;
  return html`<p class="notice warn" role="status">${icon("warn")} ${t.suppressions.unreached({ addresses })}${
    opens && html` <a href="${to("/suppressions", { team: form.team_id })}">${t.suppressions.title()}</a>`
  }</p>`;
}
