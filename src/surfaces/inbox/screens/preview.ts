import { ApiError } from "../../../errors.ts";
import { posted } from "../body.ts";
import { faultPreview, inScheme, mailPreview, pagePreview, schemes } from "../preview/documents.ts";
import { LIMITS, postedOf } from "../settings/changes.ts";
import type { Section } from "../settings/leaves.ts";
import type { MemberRequest } from "../visit.ts";
import { formOf } from "./_form-head.ts";

/** What can be previewed, and the page of settings that it belongs to. */
export const previews = {
  page: "after-submit",
  error: "after-submit",
  notification: "notification",
  reply: "reply",
} as const satisfies Record<string, Section>;
export type PreviewKind = keyof typeof previews;

/** A page or a mail of a form, from settings that need not be saved, and a submission. */
export async function previewScreen(visit: MemberRequest, kind: PreviewKind): Promise<Response> {
  const { exchange } = visit;
  const body = exchange.request.method === "POST" ? await posted(exchange.request, LIMITS) : new URLSearchParams();
  const asked = (name: string): string => visit.query.get(name) ?? body.get(`preview.${name}`) ?? "";
  const scheme = schemes.find((one) => one === asked("scheme")) ?? "system";
  const form = await formOf(visit);
  const submission = asked("submission");
  const params = { form_id: form.id };
  const read = () => {
    if (submission !== "") visit.note("read", { team_id: form.team_id, form_id: form.id, ids: [submission] });
  };
  try {
    const patch = postedOf(visit, form, previews[kind], body);
    if (kind === "page" || kind === "error") {
      const accepted = exchange.request.headers.get("accept-language");
      const shown = await visit.call("previewPage", { params, body: { patch, submission, kind, accepted } });
      read();
      return pagePreview(visit, inScheme(shown.body, scheme), shown.pictures);
    }
    const mail = kind === "reply" ? "auto_response" : "owner_email";
    const shown = await visit.call("previewMail", { params, body: { patch, submission, kind: mail } });
    read();
    if (shown.fault !== null) return faultPreview(visit, shown.fault);
    const format = asked("format") === "text" ? "text" : "html";
    return mailPreview(visit, shown.mail, { format, scheme, pictures: shown.pictures, dir: shown.dir });
  } catch (error) {
    if (error instanceof ApiError && error.code === "invalid_parameter") return faultPreview(visit, error.message);
    throw error;
  }
}
