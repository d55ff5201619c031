import { createHash, createHmac } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { deriveKey } from "../../lib/secrets.ts";
import type { ReadRow } from "./row.ts";

const OUR_ID = /^[0-9a-f]{24}$/;

/** Names a row of an import: the ids that it may have been stored under, the one for a new submission first. */
export type Identity = (row: ReadRow) => readonly string[];

/**
 * Ids follow from the form, the source and the row, so that the same row gets the same id in every process. Content is hashed under
 * a key, because an id must not tell an encrypted value; ids of older secrets are recognised.
 */
export function identityOf({ options: { secrets } }: Core, formId: string, source: string): Identity {
  let keys: readonly Uint8Array[] | undefined;
  return ({ source_id, created_at, posted, visitor }) => {
    if (source_id !== null) {
      const derived = createHash("sha256")
        .update(JSON.stringify([formId, source, source_id]))
        .digest("hex")
        .slice(0, 24);
      return OUR_ID.test(source_id) ? [source_id, derived] : [derived];
    }
    keys ??= secrets.map(({ text }) => deriveKey(text, `import:${formId}`));
    const content = JSON.stringify([source, created_at, posted.fields, Object.values(visitor)]);
    return keys.map((key) => createHmac("sha256", key).update(content).digest("hex").slice(0, 24));
  };
}
