import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import { joinTransaction } from "../../core/host-transaction.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put } from "../../core/rows.ts";
import type { Transaction } from "../../drivers/storage/types.ts";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { DAY_MS, HOUR_MS, iso } from "../../lib/clock.ts";
import { createLru } from "../../lib/lru.ts";
import { safeMessage } from "../../lib/message.ts";
import type { AuditActor, AuditRecord, AuditWay } from "../../model/audit.ts";
import type { TeamRecord } from "../../model/teams.ts";
import { cachedTeam, planOf, teamsWrittenIn } from "../teams/service.ts";

/** Targets that an entry names. */
const MOST_IDS = 100;
/** About the bytes of an entry. */
const WEIGHT = 500;
/**
 * Entries of a team that one process writes in an hour. Those of readers, of senders and of programs are counted apart, so that they
 * can't crowd out what a person deleted.
 */
const MOST = { reads: 2_000, changes: 5_000, edits: 2_000, calls: 5_000 } as const;

/** A sender's change of what they sent. */
const EDIT = "edit";

/** Actions that change nothing. One person, action and target make one entry an hour. */
const reads: ReadonlySet<string> = new Set(["read", "list"]);

type Kind = keyof typeof MOST;
type Tally = { hour: number } & Record<Kind, number>;
const tallies = perBackend(() => createLru<Tally>(10_000));

/** Something that was done, and by whom. */
export interface Act {
  readonly action: string;
  readonly user: { readonly id: string; readonly name: string };
  readonly actor: AuditActor;
  readonly via: AuditWay;
  readonly team_id: string;
  readonly form_id: string | null;
  readonly ids: readonly string[];
  readonly at: string;
}

/**
 * Keeps what somebody did, for as long as the team's plan says. Never rejects: what was done can't be undone for want of a note. What
 * was done in a transaction of the host's is committed, or taken back, with it.
 */
export async function keep(core: Core, action: Act, tx?: Transaction): Promise<void> {
  try {
    const entry = await entryOf(core, action, tx);
    if (!entry) return;
    const writes = [put("audit", entry.id, entry.value, entry.once ? null : undefined)];
    if (tx !== undefined) await joinTransaction(core, tx, "audit").commit(writes);
    else if (entry.kind === "calls") await core.commitTogether(writes, WEIGHT, action.team_id);
    else await core.commitNow(writes);
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
    actor: "sender",
    via: "link",
    team_id,
    form_id,
    ids: [id],
    at: iso(core.clock.now()),
  });

async function entryOf(
  core: Core,
  { action, user, actor, via, team_id, form_id, ids, at }: Act,
  tx: Transaction | undefined,
) {
  const hour = Math.floor(Date.parse(at) / HOUR_MS);
  const isRead = reads.has(action);
  const tally = tallyOf(core, team_id, hour);
  const kind = isRead ? "reads" : kindOf(via);
  if (++tally[kind] > MOST[kind]) {
    // Said once an hour, in the log of the host: a person who fills the audit must not be able to write that there as well.
    if (tally[kind] === MOST[kind] + 1) {
      const most = MOST[kind];
      core.options.logger.warn(`the audit of team ${team_id} has ${most} ${kind} in this hour; more are not kept`);
    }
    return null;
  }
  const team = tx === undefined ? (await cachedTeam(core, team_id))?.value : await teamIn(core, tx, team_id);
  // Its deletion counts what it removes, and nothing may come after it.
  if (team?.deleting) return null;
  const days = team ? planOf(core, team).audit_days : null;
  if (days === 0) return null;
  const value: AuditRecord = {
    team_id,
    form_id,
    actor,
    user_id: user.id,
    user_name: user.name,
    via,
    action,
    ids: ids.slice(0, MOST_IDS),
    count: ids.length,
    created_at: at,
    expires_at: days === null ? null : iso(Date.parse(at) + days * DAY_MS),
  };
  const same = JSON.stringify([team_id, user.id, action, form_id, ids, hour]);
  const id = isRead ? createHash("sha256").update(same).digest("base64url") : core.sortableId(Date.parse(at));
  return { id, value, once: isRead, kind };
}

const kindOf = (via: AuditWay): Kind => (via === "inbox" ? "changes" : via === "link" ? "edits" : "calls");

/** The team as a transaction sees it. The default team is not made for a note: all other commits may wait for the transaction's end. */
const teamIn = async (core: Core, tx: Transaction, id: string): Promise<TeamRecord | undefined> =>
  teamsWrittenIn(core, tx).get(id)?.value ?? (await core.rows.cached("teams", id))?.value;

function tallyOf(core: Core, team_id: string, hour: number): Tally {
  const all = tallies(core);
  const known = all.get(team_id);
  if (known?.hour === hour) return known;
  const fresh: Tally = { hour, reads: 0, changes: 0, edits: 0, calls: 0 };
  all.set(team_id, fresh);
  return fresh;
}
