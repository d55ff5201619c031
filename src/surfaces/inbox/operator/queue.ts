import { type Html, html } from "../../../lib/html.ts";
import { count, shortTime } from "../layout/time.ts";
import type { MemberRequest } from "../visit.ts";
import { enterForm, operations, operatorPage, table, teamLink } from "./layout.ts";

/** Jobs that wait for a worker, with their age, and the webhooks that fail. */
export async function queueScreen(visit: MemberRequest): Promise<Response> {
  const o = visit.t.operator;
  const { lanes, failing } = await visit.operate(operations.operatorQueue);
  const due = lanes.map(
    ({ lane, count: n, oldest }): Html =>
      html`<tr><th scope="row"><code>${lane}</code></th><td>${count(visit, n)}</td><td>${o.seconds({ n: count(visit, Math.round(oldest)) })}</td></tr>`,
  );
  const failures = failing.map(
    ({ webhook_id, form_id, form_name, team_id, failed, retrying, at, code }): Html =>
      html`<tr><th scope="row" class="where"><code><bdi>${webhook_id}</bdi></code></th><td class="where"><bdi>${form_name ?? "–"}</bdi> <code class="muted"><bdi>${form_id}</bdi></code></td><td>${team_id !== "" && teamLink(visit, team_id)}</td><td>${o.failures({ failed: count(visit, failed), retrying: count(visit, retrying) })} <code>${code}</code></td><td class="time">${shortTime(visit, at)}</td><td>${form_name !== null && enterForm(visit, team_id, `/f/${form_id}/webhooks/${webhook_id}`)}</td></tr>`,
  );
  const content = html`${table(o.queue(), [o.lane(), o.due(), o.oldest()], due, o.none())}<h2 class="pad">${o.failing()}</h2><p class="muted pad">${o.failingHelp()}</p>${table(o.failing(), [o.webhook(), o.form(), o.team(), o.result(), o.last(), o.enter()], failures, o.noneFail())}`;
  return operatorPage(visit, o.queue(), content);
}
