import type { MemberRequest } from "../visit.ts";

/** What releasing these submissions would send: "1 email and 2 webhooks"; null if spam has held back nothing. */
export async function heldBack(visit: MemberRequest, ids: readonly string[]): Promise<string | null> {
  const s = visit.t.spam;
  const { emails, webhooks } = await visit.call("countHeldBack", { body: { ids: [...ids] } });
  const parts = [
    ...(emails > 0 ? [s.mails({ count: emails })] : []),
    ...(webhooks > 0 ? [s.webhooks({ count: webhooks })] : []),
  ];
  const [first, second] = parts;
  if (first === undefined) return null;
  return second === undefined ? first : s.and({ first, second });
}
