import type { Core } from "../../core/core.ts";
import { forgetWordsOf } from "../jobs/forget.ts";
import { type Shredded, shredDataKey } from "../privacy/data-keys.ts";

/**
 * Removes a form's data key, so nothing that it sealed can be read any more, and what receivers and mail servers said to its
 * deliveries, which may repeat such a value. Throws `form_not_found` if there is neither form nor key.
 */
export async function shredForm(core: Core, form_id: string): Promise<Shredded> {
  const shredded = await shredDataKey(core, form_id);
  await forgetWordsOf(core, form_id);
  await core.storage.scrub?.();
  return shredded;
}
