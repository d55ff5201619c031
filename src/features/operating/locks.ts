import type { Core } from "../../core/core.ts";
import type { Page } from "../../core/rows.ts";
import type { Position } from "../../drivers/storage/types.ts";

/** A locked form or team. */
export interface Locked {
  readonly kind: "form" | "team";
  readonly id: string;
  readonly name: string;
  readonly team_id: string;
  readonly reason: string;
  /** The time of the lock; null for a team, whose lock has none. */
  readonly at: string | null;
}

/** Rows that one page reads, whatever few of them are locked. */
const MOST_READ = 2_000;
const PAGE = 200;

/**
 * Locked teams and forms, oldest first. A lock has no index, so a page is what `MOST_READ` rows hold: teams first, and then forms from
 * the cursor on.
 */
export async function listLocked(
  core: Core,
  cursor: string | null,
): Promise<{ data: Locked[]; next_cursor: string | null }> {
  const [kind, position] = placeOf(core, cursor);
  const data: Locked[] = [];
  let after = position;
  for (let read = 0; read < MOST_READ; read += PAGE) {
    const page = await pageOf(core, kind, after);
    data.push(...lockedOf(kind, page));
    if (page.next === null) return { data, next_cursor: kind === "team" ? issue(core, "form", START) : null };
    after = page.next;
  }
  return { data, next_cursor: after === undefined ? null : issue(core, kind, after) };
}

type Kind = Locked["kind"];
/** Before every row. */
const START: Position = { sort: "", id: "" };
const scopeOf = (kind: Kind): string => JSON.stringify(["locked", kind]);
const issue = (core: Core, kind: Kind, at: Position): string => `${kind}.${core.cursors.issue(at, scopeOf(kind))}`;

function placeOf(core: Core, cursor: string | null): [Kind, Position | undefined] {
  if (cursor === null) return ["team", undefined];
  const kind: Kind = cursor.startsWith("form.") ? "form" : "team";
  const at = core.cursors.read(cursor.slice(kind.length + 1), scopeOf(kind));
  return [kind, at.id === "" ? undefined : at];
}

function pageOf(core: Core, kind: Kind, after: Position | undefined): Promise<Page<"teams"> | Page<"forms">> {
  const query = { partitions: [{ index: "all", equals: {} }], after, order: "asc", limit: PAGE } as const;
  return kind === "team" ? core.rows.page("teams", query) : core.rows.page("forms", query);
}

const lockedOf = (kind: Kind, { rows }: Page<"teams"> | Page<"forms">): Locked[] =>
  rows.flatMap(({ id, value }) => {
    const { locked, name } = value;
    if (!locked) return [];
    const team_id = "team_id" in value ? value.team_id : id;
    return [{ kind, id, name, team_id, reason: locked.reason, at: "at" in locked ? String(locked.at) : null }];
  });
