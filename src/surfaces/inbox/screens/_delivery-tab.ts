import { type Html, html } from "../../../lib/html.ts";
import type { RoutedTo } from "../../../model/routing.ts";
import { answerOf, deliveriesOf } from "../deliveries.ts";
import type { Item } from "../item.ts";
import { longTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { addressText, named, resultOf, statusMark, timeline } from "./_delivery.ts";
import { againForm } from "./delivery.ts";

/** The mails and webhooks that a submission caused, each with every attempt. */
export async function deliveryTab(visit: MemberRequest, { submission, form }: Item): Promise<Html> {
  const { t, to, shows } = visit;
  const d = t.delivery;
  const rows = await deliveriesOf(visit, submission);
  const routed = submission.routed_to && routing(visit, submission.routed_to);
  if (rows.length === 0) return html`<section>${routed}<p class="muted">${d.noneOfItem()}</p></section>`;
  const parts = await Promise.all(
    rows.map(async (row) => {
      const { id, value: job } = row;
      const name = named(d, job.kind);
      const head =
        form && shows("deliveries") ? html`<a href="${to(`/f/${form.id}/deliveries/${id}`)}">${name}</a>` : name;
      const next = job.due_at !== null && html` <span class="muted">${d.next()}: ${longTime(visit, job.due_at)}</span>`;
      const attempted = (job.attempts?.length ?? 0) > 0;
      return html`<li class="delivery" data-delivery-id="${id}"><div class="delivery-head"><h2>${head} ${statusMark(visit, job.status)}</h2>${form && shows("deliveries") && againForm(visit, form, row, "submission")}<span class="muted where">${addressText(visit, form, job)}</span></div>${(!attempted || next) && html`<p>${!attempted && resultOf(visit, job)}${next}</p>`}${attempted && timeline(visit, job, (said) => answerOf(visit, job, said))}</li>`;
    }),
  );
  return html`<section aria-label="${d.captionOne()}">${routed}<ul class="deliveries">${parts}</ul></section>`;
}

/** The rules that matched, and the addresses they chose. */
function routing({ t }: MemberRequest, { rules, otherwise, recipients, cc, bcc, webhooks }: RoutedTo): Html {
  const r = t.routing;
  const why =
    rules.length > 0
      ? r.matched({ count: rules.length, numbers: rules.join(", ") })
      : otherwise
        ? r.otherwise()
        : r.everywhere();
  const lists = [
    [r.sentTo, recipients],
    [r.sentCc, cc],
    [r.sentBcc, bcc],
  ] as const;
  const parts = lists.flatMap(([said, list]) => (list.length > 0 ? [said({ to: list.join(", ") })] : []));
  const isNobody = parts.length === 0 && webhooks.length === 0;
  return html`<p class="routed"><b>${why}</b>${isNobody && html` ${r.nowhere()}`}${parts.map((text) => html`<span class="muted"><bdi>${text}</bdi></span>`)}</p>`;
}
