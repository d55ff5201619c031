import { createHash } from "node:crypto";
import { dataHeaders } from "../../../lib/response.ts";
import type { HostSubmissionList } from "../../../model/submissions.ts";
import { privateHeaders } from "../answer.ts";
import { overviewOf } from "../overview.ts";
import { asDoing, type There, thereIn } from "../presence.ts";
import type { MemberRequest } from "../visit.ts";

const FORMS = 30;

/** The number of unread submissions and of new ones, and the state of the latest, from counters and two pages of an index. */
export async function pollScreen(visit: MemberRequest): Promise<Response> {
  const { query, exchange, settings, has } = visit;
  const form_id = query.get("form");
  const since = query.get("since");
  // At once: each is a round trip or more to the database.
  const [{ forms }, fresh, state, there] = await Promise.all([
    has("forms:read") ? overviewOf(visit, { limit: FORMS, days: 0 }) : { forms: [] },
    form_id === null || query.get("fresh") === "0" ? 0 : freshOf(visit, form_id, since),
    form_id !== null &&
      visit.call("listState", { params: { form_id }, body: { spam: query.get("status") === "spam" } }),
    thereNow(visit),
  ]);
  const total = forms.reduce((sum, { unread }) => sum + unread, 0);
  const text = JSON.stringify({
    fresh,
    says: fresh > 0 ? visit.t.list.fresh({ count: fresh }) : "",
    total: visit.t.page.unread({ count: total }),
    ...(state && { state }),
    ...(there && { there }),
    unread: Object.fromEntries(forms.map(({ id, unread }) => [id, unread])),
  });
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const headers = { ...privateHeaders(settings), ...dataHeaders, etag };
  if (exchange.request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(text, { headers });
}

async function freshOf(visit: MemberRequest, form_id: string, since: string | null): Promise<number> {
  const query = { limit: "100", ...(since !== null && { created_after: since }) };
  const { data } = (await visit.call("listSubmissions", { params: { form_id }, query })) as HostSubmissionList;
  return data.filter(({ created_at }) => since === null || created_at > new Date(since).toISOString()).length;
}

/** The others who are there: at the submissions of a list, or at the one that is open, of which the request also says what this person does. */
async function thereNow(visit: MemberRequest): Promise<Record<string, There> | null> {
  const { query } = visit;
  const [form, of, id] = [query.get("form"), query.get("of"), query.get("item")];
  if (form !== null) return thereIn(visit, form, null);
  if (of === null || id === null) return null;
  const doing = asDoing(query.get("doing"));
  const there = await thereIn(visit, of, doing ? { id, doing, arrives: false } : null);
  return there[id] ? { [id]: there[id] } : {};
}
