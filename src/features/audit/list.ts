import type { Core } from "../../core/core.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Condition } from "../../drivers/storage/types.ts";
import type { AuditRecord } from "../../model/audit.ts";
import type { Caller } from "../../model/keys.ts";

const PAGE = 50;

/** The entries that are wanted; an empty text is no filter. */
export interface AuditFilter {
  readonly action: string;
  readonly user: string;
  readonly form: string;
}

/** An entry, and the name of its form; null where it has none, or where the form was deleted. */
export interface AuditEntry extends AuditRecord {
  readonly id: string;
  readonly form_name: string | null;
}

/** A page of what people did in a team's inbox, newest first. Throws `scan_concurrency`, and `invalid_parameter` for a foreign cursor. */
export async function listAudit(
  core: Core,
  caller: Caller,
  team_id: string,
  filter: AuditFilter,
  cursor: string | null,
): Promise<{ data: AuditEntry[]; next_cursor: string | null }> {
  const { action, user, form } = filter;
  const about = JSON.stringify([team_id, { action, user, form }]);
  const where = conditionsOf(filter);
  const after = cursor === null ? undefined : core.cursors.read(cursor, about);
  // A filter may read all entries to find a few.
  const release = takeScan(core, caller, where.length > 0 ? "filtered" : null);
  const { rows, next } = await core.rows
    .page("audit", {
      partitions: [{ index: "team", equals: { team_id } }],
      where,
      order: "desc",
      limit: PAGE,
      ...(after !== undefined && { after }),
    })
    .finally(release);
  const forms = await core.rows.many("forms", [...new Set(rows.flatMap(({ value }) => value.form_id ?? []))]);
  const data = rows.map(({ id, value }) => {
    const named = value.form_id === null ? undefined : forms.get(value.form_id);
    return { ...value, id, form_name: named?.value.name ?? null };
  });
  return { data, next_cursor: next ? core.cursors.issue(next, about) : null };
}

const conditionsOf = ({ action, user, form }: AuditFilter): Condition[] =>
  (
    [
      ["action", action],
      ["user_id", user],
      ["form_id", form],
    ] as const
  ).flatMap(([column, value]) => (value === "" ? [] : [{ column, op: "in", value: [value] } as const]));
