import type { Core } from "../../core/core.ts";
import { readerOf } from "../../core/fairness/reads.ts";
import { takeScan } from "../../core/fairness/scans.ts";
import { mergedPagesOf } from "../../core/pages.ts";
import type { Partition } from "../../core/paging.ts";
import type { Condition, Stored } from "../../drivers/storage/types.ts";
import { dataHeaders } from "../../lib/response.ts";
import { streamOf } from "../../lib/text-stream.ts";
import type { Caller } from "../../model/keys.ts";
import type { AllSubmissionsQuery, SubmissionListQuery } from "../../model/submission-queries.ts";
import type { HostSubmissionList, SubmissionList } from "../../model/submissions.ts";
import { workOf } from "../../model/work.ts";
import { listedTeams } from "../forms/access.ts";
import { shownTo } from "../privacy/shown.ts";
import { allTeams } from "../teams/service.ts";
import { reachSubmissions } from "./access.ts";
import { assertSearchable, assertSearchableOf } from "./protected-fields.ts";
import { partitionOf, type Selection, selectionOf } from "./query.ts";
import { returnSnoozed, returnSnoozedOf } from "./snooze.ts";
import { toHostSubmissions, toSubmission } from "./view.ts";
import { readerFor } from "./work-reader.ts";

/** The submissions of a form that the caller reaches, newest first. Throws `invalid_parameter`, `scan_concurrency`. */
export async function listSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  query: SubmissionListQuery,
): Promise<HostSubmissionList> {
  return read(core, await openSubmissions(core, caller, formId, query));
}

/** The same, read while it is sent. */
export async function openSubmissions(
  core: Core,
  caller: Caller,
  formId: string,
  query: SubmissionListQuery,
): Promise<OpenList> {
  if (query.state !== undefined) await returnSnoozedOf(core, caller, formId);
  const selection = selectionOf(query, caller);
  await assertSearchable(core, caller, [formId], selection);
  const source = { partitions: [partitionOf("form", formId, selection)], where: selection.where };
  return open(core, caller, query, selection, source, [formId]);
}

/**
 * The submissions of every form that the caller reaches, including deleted forms. Throws `invalid_parameter`,
 * `scan_concurrency`, and the errors of `reachForm` for a named form.
 */
export async function listAllSubmissions(
  core: Core,
  caller: Caller,
  query: AllSubmissionsQuery,
): Promise<HostSubmissionList> {
  return read(core, await openAllSubmissions(core, caller, query));
}

/** The same, read while it is sent. */
export async function openAllSubmissions(core: Core, caller: Caller, query: AllSubmissionsQuery): Promise<OpenList> {
  const selection = selectionOf(query, caller);
  if (query.state !== undefined) await returnSnoozed(core, await listedTeams(core, caller, query.team_id));
  const source = await reachable(core, caller, query, selection);
  return open(core, caller, query, selection, source, [caller.team_ids, caller.form_ids]);
}

/** The runs of a list, and its conditions. */
export interface Source {
  readonly partitions: readonly Partition[];
  readonly where: readonly Condition[];
}

/** A list ready to be read. The caller has to call `done` at the end. */
interface OpenList {
  /** True if a response over HTTP has the work. */
  readonly withWork: boolean;
  /** Rows up to `limit`, and one more if there are more; as they are stored, because an unreadable one counts as well. */
  readonly pages: AsyncGenerator<Stored[]>;
  readonly limit: number;
  readonly cursorAt: (row: Stored) => string;
  readonly collection: Selection["collection"];
  readonly caller: Caller;
  readonly done: () => void;
}

function open(
  core: Core,
  caller: Caller,
  { cursor, limit, include, ...query }: SubmissionListQuery,
  selection: Selection,
  { partitions, where }: Source,
  reach: unknown,
): OpenList {
  const { collection, filtered, work } = selection;
  // A cursor may continue with another page size, but with no other change.
  const filters = { ...query, field: Object.entries(query.field ?? {}).sort() };
  const scope = JSON.stringify(["submissions", reach, filters]);
  const after = cursor === undefined ? undefined : core.cursors.read(cursor, scope);
  // One run without conditions is a seek, so it needs no slot.
  const brief = where.length === 0 && partitions.length === 1 && !work;
  const store = brief ? core.storage : readerFor(readerOf(core, caller), selection);
  const merged = { partitions, where, after, order: query.order };
  return {
    withWork: include === "work",
    pages: mergedPagesOf(store, collection, merged, limit + 1),
    limit,
    collection,
    caller,
    cursorAt: ({ id, value }) => core.cursors.issue({ sort: value["created_at"] as string, id }, scope),
    done: takeScan(core, caller, filtered ? "filtered" : null),
  };
}

/** The whole list at once. */
async function read(core: Core, list: OpenList): Promise<HostSubmissionList> {
  try {
    const rows: Stored[] = [];
    for await (const page of list.pages) rows.push(...page);
    return await ended(core, rows, list);
  } finally {
    list.done();
  }
}

async function ended(
  core: Core,
  rows: readonly Stored[],
  { limit, cursorAt, collection, caller }: OpenList,
): Promise<HostSubmissionList> {
  const taken = rows.slice(0, limit);
  const last = taken.at(-1);
  const has_more = rows.length > limit;
  return {
    data: await toHostSubmissions(core, await shownTo(core, caller, core.rows.readable(collection, taken))),
    has_more,
    next_cursor: has_more && last ? cursorAt(last) : null,
  };
}

/**
 * The list as a response: at once if it is small, as a stream of the same text if it is large, so that a hundred submissions of
 * a megabyte each take as much memory as one. If the store fails on the way, the stream is cut off. Throws `scan_concurrency`.
 */
export async function answerList(
  core: Core,
  caller: Caller,
  list: OpenList,
  signal: AbortSignal | undefined,
): Promise<SubmissionList | Response> {
  let done = list.done;
  try {
    const first = await list.pages.next();
    const head = first.done ? [] : first.value;
    const next = head.length > list.limit || first.done ? null : await list.pages.next();
    if (!next || next.done) {
      const { data, ...rest } = await ended(core, head, list);
      return { ...rest, data: list.withWork ? data : data.map(({ work: _, ...submission }) => submission) };
    }
    // Limited: a caller that opens a hundred lists and reads none must not keep a hundred pages in memory.
    const leave = takeScan(core, caller, "long");
    const release = list.done;
    const both = (): void => {
      leave();
      release();
    };
    done = () => {};
    return new Response(streamOf(listText(core, list, [head, next.value]), both, signal), { headers: dataHeaders });
  } finally {
    done();
  }
}

async function* listText(
  core: Core,
  { pages, limit, cursorAt, collection, caller, withWork }: OpenList,
  read: Stored[][],
): AsyncGenerator<string> {
  let count = 0;
  let last: Stored | undefined;
  let before = '{"data":[';
  for (let page: Stored[] | undefined; ; ) {
    page = read.shift();
    if (!page) {
      const next = await pages.next();
      if (next.done) break;
      page = next.value;
    }
    const shown = page.slice(0, Math.max(0, limit - count));
    count += page.length;
    last = shown.at(-1) ?? last;
    for (const { id, value } of await shownTo(core, caller, core.rows.readable(collection, shown))) {
      const submission = toSubmission(core, id, value);
      yield before + JSON.stringify(withWork ? { ...submission, work: workOf(value) } : submission);
      before = ",";
    }
  }
  const has_more = count > limit;
  const next_cursor = has_more && last ? cursorAt(last) : null;
  yield `],"has_more":${has_more},"next_cursor":${JSON.stringify(next_cursor)}}`;
}

/** The runs of the forms and teams that a list over several of them reads. */
export async function reachable(
  core: Core,
  caller: Caller,
  { form_id: formIds, team_id }: Pick<AllSubmissionsQuery, "form_id" | "team_id">,
  selection: Selection,
): Promise<Source> {
  const { where, named, everywhere } = selection;
  const looks = { named, everywhere };
  const byForm = (ids: readonly string[]): Partition[] =>
    [...new Set(ids)].map((id) => partitionOf("form", id, selection));
  const listed = await listedTeams(core, caller, team_id);
  const ofTeam = (teams: readonly string[]): Condition => ({ column: "team_id", op: "in", value: teams });
  if (formIds) {
    for (const id of formIds) await reachSubmissions(core, caller, id);
    await assertSearchable(core, caller, formIds, looks);
    return { partitions: byForm(formIds), where: team_id === undefined ? where : [...where, ofTeam([team_id])] };
  }
  const teams = listed ?? (await allTeams(core)).map(({ id }) => id);
  if (!caller.form_ids) {
    await assertSearchableOf(core, caller, teams, looks);
    return { partitions: teams.map((id) => partitionOf("team", id, selection)), where };
  }
  await assertSearchable(core, caller, caller.form_ids, looks);
  // A key may name a form that is no longer, or never was, its team's.
  return { partitions: byForm(caller.form_ids), where: [...where, ofTeam(teams)] };
}
