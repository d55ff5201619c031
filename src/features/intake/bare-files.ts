import type { Core } from "../../core/core.ts";
import { levelOfPosts } from "../../core/options/under-test.ts";
import { warnOnce } from "../../core/set-up.ts";
import { safeMessage } from "../../lib/message.ts";
import type { SubmissionField } from "../../model/submission-field.ts";

/** A name with the end of a file that people send with forms. */
const FILE_NAME =
  /^[^/\\\p{Cc}]{1,200}\.(pdf|docx?|odt|rtf|txt|xlsx?|csv|pptx?|zip|png|jpe?g|gif|webp|heic|svg|mp[34]|mov)$/iu;

/** Tells a developer of a file input in a form that sends its name alone: the visitor is thanked, and the file is lost. */
export function warnOfBareFiles(core: Core, form_id: string, type: string, fields: readonly SubmissionField[]): void {
  if (type !== "application/x-www-form-urlencoded" || levelOfPosts() !== "info") return;
  const field = fields.find(({ value }) => FILE_NAME.test(value));
  if (!field) return;
  const name = safeMessage(field.key).slice(0, 100);
  warnOnce(
    core,
    "enctype",
    () =>
      `form ${form_id} got the name of a file in the field "${name}", and no file: if it is a file input, add ` +
      'enctype="multipart/form-data" to the <form>',
  );
}
