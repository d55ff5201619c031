import type { Core } from "../../core/core.ts";
import type { FormRecord } from "../../model/form-record.ts";
import type { Words } from "../../texts/locales/_words.ts";

/** The language for a visitor. `field` is `_language` of the post, `header` its `Accept-Language`. */
export const wordsFor = (
  { options }: Core,
  form: Pick<FormRecord, "settings"> | null,
  field: string | undefined,
  header: string | null,
): Words => options.languages.choose({ form: form?.settings.language, field, header });
