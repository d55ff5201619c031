import type { Core } from "../../core/core.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import type { Condition } from "../../drivers/storage/types.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { parseInput } from "../../lib/input.ts";
import type { FileStream } from "../../lib/response.ts";
import { streamOf } from "../../lib/text-stream.ts";
import {
  AuditExportQuery,
  type AuditList,
  AuditListQuery,
  type AuditRecord,
  type AuditEntry as Entry,
} from "../../model/audit.ts";
import type { Caller } from "../../model/keys.ts";
import { HOST } from "../../model/keys.ts";
import { csvLine } from "../../model/submission-csv.ts";
import { onlyTeam } from "../teams/access.ts";

const PAGE = 50;

/** The entries that are wanted; an empty text is no filter. */
export interface AuditFilter {
  readonly action: string;
  readonly user: string;
  readonly form: string;
  /** The first and the last day, in UTC, such as `2026-01-31`. */
  readonly from: string;
  readonly to: string;
}

/** The entries whose people a filter offers to choose from. */
const RECENT = 200;

/** Somebody to choose from, by the name that they had last. */
export interface AuditPerson {
  readonly id: string;
  readonly name: string;
}

/** The people and keys of a team's newest entries, by name. */
export async function recentActors(core: Core, team_id: string): Promise<AuditPerson[]> {
  const { rows } = await core.rows.page("audit", {
    partitions: [{ index: "team", equals: { team_id } }],
    order: "desc",
    limit: RECENT,
  });
  const names = new Map<string, string>();
  for (const { value } of rows) {
    if (value.user_id !== "" && !names.has(value.user_id)) names.set(value.user_id, value.user_name);
  }
  return [...names].map(([id, name]) => ({ id, name })).sort((a, b) => (a.name || a.id).localeCompare(b.name || b.id));
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
  const about = JSON.stringify([team_id, filter]);
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

/** A page of the audit of a team, newest first, for the host. Throws `invalid_parameter`, `not_found`. */
export async function pageOfAudit(core: Core, query: AuditListQuery = {}): Promise<AuditList> {
  const { team_id: wanted, limit, cursor, ...filter } = parseInput(AuditListQuery, query);
  const team_id = await onlyTeam(core, HOST, wanted);
  const about = JSON.stringify(["audit", team_id, filter]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, about);
  const { rows, next } = await core.rows.page("audit", {
    partitions: [{ index: "team", equals: { team_id } }],
    where: conditionsOf(filterOf(filter)),
    order: "desc",
    limit,
    ...(after !== undefined && { after }),
  });
  const data = rows.map(({ id, value }) => entryOf(id, value));
  return { data, has_more: next !== null, next_cursor: next && core.cursors.issue(next, about) };
}

/** The audit of a team as a file, oldest first, for the host. Throws `invalid_parameter`, `not_found`. */
export async function exportOfHost(core: Core, query: AuditExportQuery = {}): Promise<ReadableStream<Uint8Array>> {
  const { team_id, format, ...filter } = parseInput(AuditExportQuery, query);
  return exportAudit(core, HOST, await onlyTeam(core, HOST, team_id), filterOf(filter), format).stream;
}

/** The audit of a team as a file, oldest first, read as fast as it is taken. Throws `scan_concurrency`. */
export function exportAudit(
  core: Core,
  caller: Caller,
  team_id: string,
  filter: AuditFilter,
  format: "csv" | "ndjson",
  signal?: AbortSignal,
): FileStream {
  const release = takeScan(core, caller, "long");
  const pages = core.rows.walk("audit", { index: "team", equals: { team_id }, where: conditionsOf(filter) });
  const { content_type, line, head } = formats[format];
  async function* text(): AsyncGenerator<string> {
    yield head;
    for await (const rows of pages) yield rows.map(({ id, value }) => line(entryOf(id, value))).join("");
  }
  return { stream: streamOf(text(), release, signal), content_type, file_name: `audit.${format}` };
}

const columns = ["at", "actor", "actor_id", "actor_name", "via", "action", "team_id", "form_id", "count", "ids"];
const formats = {
  ndjson: {
    content_type: "application/x-ndjson; charset=utf-8",
    head: "",
    line: (entry: Entry) => `${JSON.stringify(entry)}\n`,
  },
  csv: {
    content_type: "text/csv; charset=utf-8; header=present",
    head: csvLine(columns),
    line: ({ at, actor: { type, id, name }, via, action, team_id, form_id, count, ids }: Entry) =>
      csvLine([at, type, id, name, via, action, team_id, form_id ?? "", String(count), ids.join(" ")]),
  },
};

const entryOf = (
  id: string,
  { actor, user_id, user_name, via, action, team_id, form_id, ids, count, created_at }: AuditRecord,
): Entry => ({
  id,
  at: created_at,
  action,
  via,
  actor: { type: actor, id: user_id, name: user_name },
  team_id,
  form_id,
  ids,
  count,
});

const filterOf = ({
  form_id,
  actor_id,
  action,
}: {
  form_id?: string | undefined;
  actor_id?: string | undefined;
  action?: string | undefined;
}): AuditFilter => ({
  action: action ?? "",
  user: actor_id ?? "",
  form: form_id ?? "",
  from: "",
  to: "",
});

const conditionsOf = ({ action, user, form, from, to }: AuditFilter): Condition[] => [
  ...(
    [
      ["action", action],
      ["user_id", user],
      ["form_id", form],
    ] as const
  ).flatMap(([column, value]) => (value === "" ? [] : [{ column, op: "in", value: [value] } as const])),
  ...(from === "" ? [] : [{ column: "created_at", op: "gte", value: iso(Date.parse(from)) } as const]),
  ...(to === "" ? [] : [{ column: "created_at", op: "lt", value: iso(Date.parse(to) + DAY_MS) } as const]),
];
