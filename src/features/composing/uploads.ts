import { Readable } from "node:stream";
import type { Core } from "../../core/core.ts";
import type { Row } from "../../core/rows.ts";
import type { AnswerFile } from "../../model/messages.ts";
import { openUploads, type Uploads } from "../intake/uploads.ts";

/**
 * The uploads of an answer, stored by the file rules of its form. Close them in any case. Throws
 * `plan_restricted`, `too_many_files`, `payload_too_large`, `file_type_not_allowed`, `unavailable`.
 */
export async function uploaded(core: Core, form: Row<"forms">, files: readonly AnswerFile[]): Promise<Uploads> {
  const uploads = await openUploads(core, form);
  try {
    for (const { name, declared, content } of files)
      await uploads.take({ key: "attachment", name, declared, content: Readable.from([content]) });
    await uploads.scan();
    return uploads;
  } catch (error) {
    await uploads.close();
    throw error;
  }
}
