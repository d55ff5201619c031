import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { iso } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import type { DeletedFormList } from "../../model/deleted-forms.ts";
import type { FormRecord } from "../../model/form-record.ts";
import { DeletedFormQuery } from "../../model/forms.ts";

/** Remembers a form that is deleted, until nothing is left of it. */
export const deletedWrite = (core: Core, id: string, { team_id, name }: FormRecord): Write =>
  put("deleted_forms", id, { team_id, name, created_at: iso(core.clock.now()) });

/** Deleted forms of all teams or of one, the last deleted first. Throws `invalid_parameter`. */
export async function listDeleted(core: Core, query: DeletedFormQuery): Promise<DeletedFormList> {
  const { team_id, limit, cursor } = parseInput(DeletedFormQuery, query);
  const scope = JSON.stringify(["deleted forms", team_id ?? null]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  const run = team_id === undefined ? { index: "all", equals: {} } : { index: "team", equals: { team_id } };
  const { rows, next } = await core.rows.page("deleted_forms", { partitions: [run], after, order: "desc", limit });
  const data = rows.map(({ id, value: { created_at, ...rest } }) => ({ id, ...rest, deleted_at: created_at }));
  return { data, has_more: next !== null, next_cursor: next && core.cursors.issue(next, scope) };
}
