import type { Core } from "../../core/core.ts";
import type { MailAttachment } from "../../drivers/mailer/types.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { MAX_REPLY_ATTACHMENT_BYTES } from "../../model/images.ts";
import { readBlob } from "../files/store.ts";
import { fileNameOf } from "../images/service.ts";

/** The files that go with a form's automatic reply; those that were removed since are left out. Throws `unavailable`. */
export async function replyAttachments(
  core: Core,
  formId: string,
  { settings }: FormRecord,
): Promise<MailAttachment[]> {
  const ids = settings.reply_attachments;
  if (ids.length === 0) return [];
  const images = await core.rows.many("images", ids);
  const files: MailAttachment[] = [];
  let bytes = 0;
  for (const id of ids) {
    const image = images.get(id)?.value;
    if (image?.form_id !== formId) continue;
    bytes += image.size;
    const body = bytes <= MAX_REPLY_ATTACHMENT_BYTES ? await readBlob(core, id) : null;
    if (!body) continue;
    const content = new Uint8Array(await new Response(body).arrayBuffer());
    files.push({ name: fileNameOf(image), mimeType: image.mime_type, content });
  }
  return files;
}
