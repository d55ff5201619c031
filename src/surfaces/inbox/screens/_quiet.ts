import { type Html, html } from "../../../lib/html.ts";
import type { HostForm } from "../../../model/forms.ts";
import { type Quiet, quietOf } from "../../../model/quiet.ts";
import { icon } from "../layout/icons.ts";
import type { MemberRequest } from "../visit.ts";

/** A mark for a form in a list, null where all is as usual. */
export function quietMark({ t }: MemberRequest, days: readonly number[], active: boolean): Html | null {
  const quiet = active ? quietOf(days) : null;
  return (
    quiet &&
    html` <span class="pill warn" data-quiet="${quiet.days}">${icon("warn")} ${t.quiet.badge({ count: quiet.days })}</span>`
  );
}

/** Says on a form's pages that it has fallen silent, and what to do. Null where all is as usual. */
export async function quietBanner(visit: MemberRequest, form: HostForm): Promise<Html | null> {
  const quiet = await visit.call("quietForm", { params: { form_id: form.id } });
  return quiet && banner(visit, form, quiet);
}

function banner({ t, to, words, has, shows }: MemberRequest, { id }: HostForm, { days, usual }: Quiet): Html {
  const round = new Intl.NumberFormat(words.tag, { maximumFractionDigits: usual < 10 ? 1 : 0 }).format(usual);
  return html`<p class="notice silent" role="status" data-quiet="${days}"><span>${t.quiet.banner({ count: days, usual: round })}</span>${
    has("forms:read") && shows("install") && html` <a href="${to(`/f/${id}/install`)}">${t.quiet.check()}</a>`
  }</p>`;
}
