import type { Core } from "../../core/core.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { dialects } from "../dialects/_all.ts";
import type { Dialect } from "../dialects/_dialect.ts";

/** The dialect that a form is set to; else that of Formspree's client where the option names it. Null for ours. */
export function dialectOf(core: Core, form: FormRecord | null, headers: Headers): Dialect | null {
  const chosen = form?.settings.dialect ?? "native";
  if (chosen !== "native") return dialects[chosen];
  return core.options.dialects.has("formspree") && headers.has("formspree-client") ? dialects.formspree : null;
}
