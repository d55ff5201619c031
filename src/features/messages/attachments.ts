import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import type { StoredFile } from "../../model/submission-file.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { fileNameOf } from "../images/service.ts";

/** The files that an answer names. Throws `invalid_parameter` at `attachments`. */
export async function attachmentsOf(
  core: Core,
  form_id: string,
  { seen, all }: { readonly seen: SubmissionRecord; readonly all: SubmissionRecord },
  thread: readonly Row<"messages">[],
  ids: readonly string[],
): Promise<StoredFile[]> {
  if (ids.length === 0) return [];
  // An earlier answer may have a file that is kept from the caller.
  const shown = new Set(seen.attachments.map(({ file_id }) => file_id));
  const hidden = new Set(all.attachments.map(({ file_id }) => file_id).filter((id) => !shown.has(id)));
  const files = new Map(
    [...seen.attachments, ...thread.flatMap(({ value }) => value.attachments)]
      .filter(({ file_id }) => !hidden.has(file_id))
      .map((file) => [file.file_id, file]),
  );
  const images = await core.rows.many("images", ids);
  return [...new Set(ids)].map((id) => {
    const file = files.get(id);
    // A file that the form encrypts stays out of mails.
    if (file && !file.sealed) return file;
    const image = images.get(id)?.value;
    if (image?.form_id === form_id)
      return {
        key: "",
        file_id: id,
        name: fileNameOf(image),
        mime_type: image.mime_type,
        size: image.size,
      };
    throw new ApiError("invalid_parameter", {
      param: "attachments",
      message: `\`attachments\`: "${id}" is neither an image of this form nor a file of this conversation.`,
    });
  });
}
