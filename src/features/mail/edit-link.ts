import type { Core } from "../../core/core.ts";
import { signerFor } from "../../core/signer-for.ts";
import { DAY_MS } from "../../lib/clock.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { daysOf } from "../../model/visitor-settings.ts";

const signerOf = signerFor("edit");

/** The content of a link by which a sender changes a submission. */
export interface EditLink {
  readonly submission_id: string;
  readonly form_id: string;
  /** Until when it works, in epoch ms. */
  readonly expires: number;
}

/** The address; null where the form gives none. It is the same for each repeat of a post, and looks the same for spam. */
export function editUrl(
  core: Core,
  id: string,
  { form_id, created_at }: { readonly form_id: string; readonly created_at: string },
  { settings, storage }: Pick<FormRecord, "settings" | "storage">,
): string | null {
  if (!settings.edit.enabled || !storage.store_submissions) return null;
  const expires = Date.parse(created_at) + daysOf(settings.edit.until) * DAY_MS;
  const body = Buffer.from(JSON.stringify([id, form_id, expires])).toString("base64url");
  return `${core.options.baseUrl}/e/${body}.${signerOf(core).sign(body)}`;
}

/** The content of a token; null if it is not ours. */
export function readEditLink(core: Core, token: string): EditLink | null {
  const [body = "", signature = "", ...more] = token.split(".", 3);
  if (more.length > 0 || !signerOf(core).verify(body, signature)) return null;
  const [submission_id, form_id, expires] = JSON.parse(Buffer.from(body, "base64url").toString()) as [
    string,
    string,
    number,
  ];
  return { submission_id, form_id, expires };
}
