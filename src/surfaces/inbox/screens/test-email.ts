import { ApiError } from "../../../errors.ts";
import { redirect } from "../answer.ts";
import { posted } from "../body.ts";
import { noticeCookie } from "../layout/notice.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";
import type { TestSection } from "./_test-form.ts";
import { settingsScreen } from "./settings.ts";

/** Refusals that the page says beside the address; the others have pages of their own. */
const said = new Set(["invalid_parameter", "rate_limited", "unavailable", "plan_restricted"]);

/** Sends an email of the form as a test. */
export async function testAct(visit: MemberRequest, section: TestSection): Promise<Response> {
  const { to, settings, exchange } = visit;
  const address = ((await posted(exchange.request)).get("to") ?? "").trim().slice(0, 1_000);
  const form = await formOf(visit);
  const kind = section === "reply" ? "auto_response" : "self_email_notification";
  try {
    await visit.call("sendTestEmail", { params: { form_id: form.id }, body: { kind, to: address } });
  } catch (error) {
    if (!(error instanceof ApiError) || !said.has(error.code)) throw error;
    return settingsScreen(visit, section, null, { to: address, fault: error });
  }
  visit.note("test_email", { team_id: form.team_id, form_id: form.id, ids: [] });
  return redirect(settings, to(`/f/${form.id}/settings/${section}`), noticeCookie(visit, "testSent"));
}
