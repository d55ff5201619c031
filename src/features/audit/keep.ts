import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import type { InboxAction } from "../../core/events.ts";
import { faultText } from "../../core/fault-text.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put } from "../../core/rows.ts";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { DAY_MS, HOUR_MS, iso } from "../../lib/clock.ts";
import { createLru } from "../../lib/lru.ts";
import { safeMessage } from "../../lib/message.ts";
import type { AuditRecord } from "../../model/audit.ts";
import { cachedTeam, planOf } from "../teams/service.ts";

/** Targets that an entry names. */
const MOST_IDS = 100;
/**
 * Entries of a team that one process writes in an hour. Those of readers and of senders are counted apart, so that they can't crowd out
 * a deletion.
 */
const MOST = { reads: 2_000, changes: 5_000, edits: 2_000 } as const;

/** A sender's change of what they sent. */
const EDIT = "edit";

/** Actions that change nothing. One person, action and target make one entry an hour. */
const reads: ReadonlySet<string> = new Set(["read", "list"]);

interface Tally {
  hour: number;
  reads: number;
  changes: number;
  edits: number;
}
const tallies = perBackend(() => createLru<Tally>(10_000));

/** Keeps what a person did, for as long as the team's plan says. Never rejects: what was done can't be undone for want of a note. */
export async function keep(core: Core, action: InboxAction): Promise<void> {
  try {
    const entry = await entryOf(core, action);
    if (!entry) return;
    await core.commitNow([put("audit", entry.id, entry.value, entry.once ? null : undefined)]);
  } catch (error) {
    // The same was read within the hour.
    if (error instanceof StaleWriteError) return;
    const said = safeMessage(faultText(error));
    core.options.logger.error(
      `an entry of the audit could not be written: ${action.action} by ${action.user.id}: ${said}`,
    );
  }
}

/** Keeps that somebody changed what they had sent. Who has the link has no name here. */
export const keepEdit = (core: Core, team_id: string, form_id: string, id: string): Promise<void> =>
  keep(core, {
    action: EDIT,
    user: { id: "", name: "" },
    team_id,
    form_id,
    ids: [id],
    at: iso(core.clock.now()),
  });

async function entryOf(core: Core, { action, user, team_id, form_id, ids, at }: InboxAction) {
  const hour = Math.floor(Date.parse(at) / HOUR_MS);
  const isRead = reads.has(action);
  const tally = tallyOf(core, team_id, hour);
  const kind = isRead ? "reads" : action === EDIT ? "edits" : "changes";
  if (++tally[kind] > MOST[kind]) {
    // Said once an hour, in the log of the host: a person who fills the audit must not be able to write that there as well.
    if (tally[kind] === MOST[kind] + 1) {
      const most = MOST[kind];
      core.options.logger.warn(`the audit of team ${team_id} has ${most} ${kind} in this hour; more are not kept`);
    }
    return null;
  }
  const team = await cachedTeam(core, team_id);
  const days = team ? planOf(core, team.value).audit_days : null;
  if (days === 0) return null;
  const value: AuditRecord = {
    team_id,
    form_id,
    user_id: user.id,
    user_name: user.name,
    action,
    ids: ids.slice(0, MOST_IDS),
    count: ids.length,
    created_at: at,
    expires_at: days === null ? null : iso(Date.parse(at) + days * DAY_MS),
  };
  const same = JSON.stringify([team_id, user.id, action, form_id, ids, hour]);
  const id = isRead ? createHash("sha256").update(same).digest("base64url") : core.sortableId(Date.parse(at));
  return { id, value, once: isRead };
}

function tallyOf(core: Core, team_id: string, hour: number): Tally {
  const all = tallies(core);
  const known = all.get(team_id);
  if (known?.hour === hour) return known;
  const fresh: Tally = { hour, reads: 0, changes: 0, edits: 0 };
  all.set(team_id, fresh);
  return fresh;
}
