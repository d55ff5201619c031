import type { Core } from "../../core/core.ts";
import type { SubmissionRecord } from "../../model/submission-record.ts";
import { hasherOf } from "./sealing.ts";

/** True if a submission contains the hash of one of these texts, whose own text is no longer stored. */
export function hashFinder(core: Core, texts: readonly string[]): (record: SubmissionRecord) => boolean {
  const hashes = new Map<string, ReadonlySet<string>>();
  return ({ form_id, protected: kept }) => {
    if (!kept?.values.some(({ hash }) => hash !== undefined)) return false;
    const known =
      hashes.get(form_id) ?? new Set(core.options.secrets.flatMap((one) => texts.map(hasherOf(one, form_id))));
    hashes.set(form_id, known);
    return kept.values.some(({ hash }) => hash !== undefined && known.has(hash));
  };
}
