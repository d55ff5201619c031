import { missedJobs } from "../../../features/submissions/service.ts";
import { isShown } from "../../../model/deliveries.ts";
import type { MemberRequest } from "../visit.ts";

/** What releasing these submissions would send: "1 email and 2 webhooks"; null if spam has held back nothing. */
export async function heldBack({ t, core }: MemberRequest, ids: readonly string[]): Promise<string | null> {
  const s = t.spam;
  let [mails, webhooks] = [0, 0];
  for (const { id, value } of (await core.rows.many("submissions", ids)).values()) {
    for (const job of (await missedJobs(core, id, value)).filter(isShown)) {
      if (job.kind === "webhook") webhooks++;
      else mails++;
    }
  }
  const parts = [
    ...(mails > 0 ? [s.mails({ count: mails })] : []),
    ...(webhooks > 0 ? [s.webhooks({ count: webhooks })] : []),
  ];
  const [first, second] = parts;
  if (first === undefined) return null;
  return second === undefined ? first : s.and({ first, second });
}
