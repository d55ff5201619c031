import type { Core } from "../core.ts";
import type { Condition } from "../drivers/storage/types.ts";
import { listedTeams } from "../forms/access.ts";
import type { Caller } from "../keys/schema.ts";
import { type Partition, pageMerged, toList } from "../paging.ts";
import { listTeams } from "../teams/service.ts";
import { reachSubmissions } from "./access.ts";
import { partitionOf, type Selection, selectionOf } from "./query.ts";
import { takeScan } from "./scans.ts";
import type {
  AllSubmissionsQuery,
  HostSubmission,
  SubmissionList,
  SubmissionListQuery,
  SubmissionRecord,
} from "./schema.ts";
import { toHostSubmission } from "./view.ts";

/** A page of what the host sees. */
export type HostSubmissionList = Omit<SubmissionList, "data"> & { data: HostSubmission[] };

/** A form's submissions, newest first. Throws `invalid_parameter`, `scan_concurrency` and what `reachForm` throws. */
export async function listSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  query: SubmissionListQuery,
): Promise<HostSubmissionList> {
  await reachSubmissions(core, caller, formId);
  const selection = selectionOf(query);
  const source = { partitions: [partitionOf("form", formId, selection.spam)], where: selection.where };
  return list(core, caller, query, selection, source, [formId]);
}

/**
 * The submissions of every form that the caller reaches, those of deleted forms included. Throws `invalid_parameter`,
 * `scan_concurrency`, and what `reachForm` throws for a form that is named.
 */
export async function listAllSubmissions(
  core: Core,
  caller: Caller,
  query: AllSubmissionsQuery,
): Promise<HostSubmissionList> {
  const selection = selectionOf(query);
  const source = await reachable(core, caller, query.form_id, selection);
  return list(core, caller, query, selection, source, [caller.team_ids, caller.form_ids]);
}

interface Source {
  readonly partitions: readonly Partition[];
  readonly where: readonly Condition[];
}

async function list(
  core: Core,
  caller: Caller,
  { cursor, limit, ...query }: SubmissionListQuery,
  { filtered }: Selection,
  { partitions, where }: Source,
  reach: unknown,
): Promise<HostSubmissionList> {
  // A cursor may go on with another page size, and with nothing else changed.
  const filters = { ...query, field: Object.entries(query.field ?? {}).sort() };
  const scope = JSON.stringify(["submissions", reach, filters]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  const release = takeScan(core, caller, filtered);
  try {
    const page = await pageMerged<SubmissionRecord>(core.storage, "submissions", {
      partitions,
      sort: "created_at",
      where,
      after,
      order: query.order,
      limit,
    });
    const items = page.rows.map(({ id, value }) => toHostSubmission(core, id, value));
    return toList(page, "created_at", items, (position) => core.cursors.issue(position, scope));
  } finally {
    release();
  }
}

async function reachable(
  core: Core,
  caller: Caller,
  formIds: readonly string[] | undefined,
  { spam, where }: Selection,
): Promise<Source> {
  const byForm = (ids: readonly string[]): Partition[] => [...new Set(ids)].map((id) => partitionOf("form", id, spam));
  if (formIds) {
    for (const id of formIds) await reachSubmissions(core, caller, id);
    return { partitions: byForm(formIds), where };
  }
  const teams = (await listedTeams(core, caller, undefined)) ?? (await listTeams(core)).map(({ id }) => id);
  if (!caller.form_ids) return { partitions: teams.map((id) => partitionOf("team", id, spam)), where };
  // A key may name a form that is no longer, or never was, its team's.
  return { partitions: byForm(caller.form_ids), where: [...where, { column: "team_id", op: "in", value: teams }] };
}
