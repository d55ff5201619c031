import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";

/** Submissions that are looked at: as many as a page of the inbox has. */
const MOST = 50;

/** A digest of the latest submissions of a form, as far as columns tell of them. */
export async function stateOf(core: Core, form_id: string, spam: boolean): Promise<string> {
  const rows = await core.storage.page("submissions", {
    index: "form_spam",
    equals: { form_id, spam },
    order: "desc",
    limit: MOST,
    columnsOnly: true,
  });
  const seen = rows.map(({ id, value: { updated_at, read, aside } }) => [id, updated_at, read, aside ?? null]);
  return createHash("sha256").update(JSON.stringify(seen)).digest("base64url").slice(0, 16);
}
