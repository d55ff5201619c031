import type { Core } from "../../core/core.ts";
import { ApiError } from "../../errors.ts";
import { etagOf } from "../../lib/etag.ts";
import { parseInput } from "../../lib/input.ts";
import { HostFormPatch } from "../../model/form-input.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { updateForm } from "./service.ts";

const TRIES = 10;

/**
 * Changes a form by what it has, such as a list that gets one entry more. `patchOf` is asked again where somebody else was faster, so
 * that neither change is lost. Throws `form_not_found`, and like `updateForm`.
 */
export async function adjustForm(core: Core, id: string, patchOf: (form: FormRecord) => object): Promise<void> {
  for (let tries = 1; ; tries++) {
    // Not from the cache, which may be a moment old.
    const row = await core.rows.get("forms", id);
    if (!row) throw new ApiError("form_not_found");
    try {
      const patch = parseInput(HostFormPatch, patchOf(row.value));
      await updateForm(core, row, patch, { ifMatch: etagOf(row.version) });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "version_mismatch" || tries === TRIES) throw error;
    }
  }
}
