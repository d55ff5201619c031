import { put, remove } from "../../core/rows.ts";
import { StaleWriteError, type Stored, type Write } from "../../drivers/storage/types.ts";
import { DAY_MS, HOUR_MS, iso } from "../../lib/clock.ts";
import type { MarkId } from "../../model/marks.ts";
import { forgottenMark } from "../../model/spam-model.ts";
import { type TeamDeletionRecord, teamDeletionLeaf } from "../../model/team-deletion.ts";
import { stockMark } from "../../model/teams.ts";
import { removedOf, rowsRemoved } from "../teams/delete.ts";
import { changedHost } from "../teams/hosts.ts";
import { released } from "../teams/sender-domains.ts";
import { withoutUsage } from "../teams/usage.ts";
import { tellHost, wakeHost } from "../webhooks/host-events.ts";
import { type Run, restsBetweenSteps } from "./run.ts";
import { searchDeliveries, searchMarks } from "./team-search.ts";
import { emptyTeam } from "./team-stages.ts";
import type { Deletion } from "./team-step.ts";

/** A pass that found something is followed by another one: posts that were under way may have been stored meanwhile. */
const MOST_PASSES = 10;
/** A process knows a team for seconds and a post takes less than a minute, so this look after the end finds the last of them. */
const AGAIN_MS = HOUR_MS;
/** Forms that the mark names. */
const MOST_FORMS = 20_000;
const RECEIPT_MS = 400 * DAY_MS;

/**
 * Removes all that a deleted team has, and then its row; the receipt stays. May be repeated at any point. False where the mark of the
 * deletion is to be removed: the receipt's time is over.
 */
export async function removeTeam(run: Run, mark: Stored): Promise<boolean> {
  const { core } = run;
  const row = core.rows.asMark(mark, teamDeletionLeaf);
  let { value: note, version } = row;
  const { team_id } = note;
  if (note.settled) return false;

  const write = async (writes: readonly Write[], next: TeamDeletionRecord): Promise<void> => {
    await core.commitNow([...writes, put("marks", row.id as MarkId, next, version)]);
    note = next;
    version++;
  };
  const rest = restsBetweenSteps();
  const deletion: Deletion = {
    core,
    run,
    team_id,
    found: 0,
    rest,
    note: () => note,
    async step(writes, counts, { forms = [], searched_until = note.searched_until } = {}) {
      const removed = { ...note.removed };
      for (const [kind, n] of Object.entries(counts)) removed[kind] = (removed[kind] ?? 0) + n;
      try {
        const all = [...new Set([...note.forms, ...forms])].slice(0, MOST_FORMS);
        const rows = note.rows + rowsRemoved(writes);
        await write(writes, { ...note, removed, rows, forms: all, searched_until });
      } catch (error) {
        // Another process that sweeps has the mark: this one ends.
        if (!(error instanceof StaleWriteError) || error.collection === "marks") throw error;
        return false;
      } finally {
        deletion.found++;
        await rest();
      }
      return true;
    },
  };
  for (let pass = 0; ; pass++) {
    deletion.found = 0;
    await emptyTeam(deletion);
    if (deletion.found === 0) break;
    // What is left is changed as fast as it is removed: the next sweep goes on.
    if (pass === MOST_PASSES) return true;
  }
  await searchDeliveries(deletion);
  await searchMarks(deletion, row.id);
  const now = core.clock.now();
  const isFirst = note.done_at === null;
  const ends = isFirst ? now + AGAIN_MS : now + RECEIPT_MS;
  const team = await core.rows.get("teams", team_id);
  const last = team?.value.deleting
    ? [
        remove("teams", team_id, team.version),
        ...released(team.value.sender_domains, []),
        ...(await changedHost(core, team_id, team.value.base_url, null)),
        ...withoutUsage(team_id, team.value.created_at, now),
      ]
    : [];
  const deleted = { id: team_id, removed: removedOf(note) };
  const told = isFirst ? tellHost(core, "team.deleted", deleted) : [];
  // Without an expiry, which the search goes by.
  const unsearched = [stockMark(team_id), forgottenMark(team_id)].map((id) => remove("marks", id));
  await write([...last, ...unsearched, ...told], {
    ...note,
    done_at: note.done_at ?? iso(now),
    searched_until: null,
    forms: [],
    settled: !isFirst,
    expires_at: iso(ends),
  });
  if (isFirst) core.events.emit("team.deleted", deleted);
  wakeHost(core);
  return true;
}
