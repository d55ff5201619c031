import type { Core } from "../../core/core.ts";
import { put, type Row, remove, retrying } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import type { FormRecord } from "../../model/form-record.ts";

/** The writes of a change: the new form, null to remove it, and rows of the same commit. */
export interface Change {
  readonly value: FormRecord | null;
  readonly also?: readonly Write[];
}

/** The current form, or the last state of a deleted one, and whether this call changed it. */
export interface Changed {
  readonly row: Stored<FormRecord>;
  readonly changed: boolean;
}

/**
 * Changes a form under its version. Starts with the row that the access check read, so an undisturbed change reads nothing. If
 * another writer is faster, it reads the form again and repeats the change, so no writer's leaves are lost. `change` returns
 * null to leave the form alone. Throws `form_not_found` if the form was deleted meanwhile, `unavailable`, and the errors of
 * `change`.
 */
export async function changeForm(
  core: Core,
  form: Stored<FormRecord>,
  change: (row: Stored<FormRecord>) => Change | null | Promise<Change | null>,
): Promise<Changed> {
  const { id } = form;
  let known: Row<"forms"> | null = form;
  return retrying(async () => {
    const row = known ?? (await core.rows.get("forms", id));
    known = null;
    if (!row) throw new ApiError("form_not_found");
    const next = await change(row);
    if (!next) return { row, changed: false };
    const { value, also = [] } = next;
    const own = value ? put("forms", id, value, row.version) : remove("forms", id, row.version);
    await core.commitNow([own, ...also]);
    return { row: value ? { id, value, version: row.version + 1 } : row, changed: true };
  });
}
