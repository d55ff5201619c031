import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put, retrying } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { allOrNone, batchByKey } from "../../lib/batch-by-key.ts";
import { DAY_MS, iso, monthOf } from "../../lib/clock.ts";
import { deliveryId } from "../../lib/id.ts";
import { block, flag, nullable, number, time } from "../../lib/leaves.ts";
import { DEFAULT_SERVER } from "../../model/jobs.ts";
import type { MarkId } from "../../model/marks.ts";
import type { PlanExceeded } from "../../model/owner-notices.ts";
import { cachedTeam, knownTeam, planOf } from "../teams/service.ts";
import { usageCounter, usageWrite } from "../teams/usage.ts";
import { tellHost, wakeHost } from "../webhooks/host-events.ts";
import { mailJob } from "./mail-job.ts";

const MAX_RACES = 50;
const KEPT_MS = 40 * DAY_MS;

/** A place in the number of submissions that a team's plan has for a month. */
export interface Reservation {
  /** Frees the place of a post that was not stored after all. Never rejects: a place that can't be freed stays taken. */
  giveBack(): Promise<void>;
}

/** The row of `marks` for a limited team's month. Its version prevents two processes from using the same place. */
interface MonthRecord {
  taken: number;
  /** The owner has been told that the month is full. */
  told: boolean;
  expires_at: string | null;
}

const monthLeaf = block<MonthRecord>({ taken: number(0), told: flag(false), expires_at: nullable(time()) });

interface Ask {
  readonly team_id: string;
  readonly month: string;
  readonly form_id: string;
  /** 1 takes a place, -1 gives one back. */
  readonly by: 1 | -1;
  readonly plan: string;
  readonly limit: number;
  granted: boolean;
}

const FREE: Reservation = { giveBack: async () => {} };
const admissions = perBackend(() => new Map<string, Promise<boolean>>());
const turnsOf = perBackend((core) =>
  batchByKey<Ask>(allOrNone((asks) => retrying(() => serve(core, asks), MAX_RACES))),
);

/**
 * Takes a place in the team's month; null where the month is full. The first refusal in a month tells the team's owner, once:
 * by an event, a line in the log and a mail that is committed with the note that it was told. Throws `unavailable`.
 */
export async function reserve(core: Core, team_id: string, form_id: string): Promise<Reservation | null> {
  const limited = await limitOf(core, team_id);
  if (!limited) return FREE;
  const month = monthOf(iso(core.clock.now()));
  const ask: Ask = { team_id, month, form_id, by: 1, ...limited, granted: false };
  const inTurn = (one: Ask): Promise<void> => turnsOf(core)(`${team_id} ${month}`, one);
  await inTurn(ask);
  if (!ask.granted) return null;
  return { giveBack: () => inTurn({ ...ask, by: -1 }).catch(() => {}) };
}

/** The place of a post in a month that is known to have no limit; null says nothing. */
export function knownFree(core: Core, team_id: string): Reservation | null {
  const team = knownTeam(core, team_id);
  return team && planOf(core, team.value).submissions_per_month === null ? FREE : null;
}

/** The same by what is committed, without a write: for a transaction of the host's during which nothing else can be written. */
export const reserveUnwritten = async (core: Core, team_id: string): Promise<Reservation | null> =>
  (await isMonthFull(core, team_id)) ? null : FREE;

/** True if a plan's month has no place left. */
export async function isMonthFull(core: Core, team_id: string): Promise<boolean> {
  const limited = await limitOf(core, team_id);
  return limited !== null && (await readMonth(core, team_id, monthOf(iso(core.clock.now())))).used >= limited.limit;
}

/** True if a team's plan has everything sent that comes when its month is full. */
export async function deliversBeyond(core: Core, team_id: string): Promise<boolean> {
  const team = await cachedTeam(core, team_id);
  return team !== null && planOf(core, team.value).overage === "deliver";
}

/** The submissions of the running month that count for a team's plan. */
export const monthUsed = async (core: Core, team_id: string): Promise<number> =>
  (await readMonth(core, team_id, monthOf(iso(core.clock.now())))).used;

/** The write that counts a submission, on every plan: a team may get a smaller one within the month. */
export const countWrite = (team_id: string, at: string): Write => ({
  op: "add",
  id: usageCounter(team_id, monthOf(at)),
  by: 1,
  at,
});

/**
 * Gives a stored submission its place before anything of it is sent: one that came as spam, or when the month was full, has none.
 * False where the month is full, and nothing may be sent. Throws `unavailable`.
 */
export function admitted(core: Core, id: string): Promise<boolean> {
  const running = admissions(core);
  // Two who ask for one submission at once must not take two places.
  const known = running.get(id);
  if (known) return known;
  const asked = admit(core, id).finally(() => running.delete(id));
  running.set(id, asked);
  return asked;
}

const admit = (core: Core, id: string): Promise<boolean> =>
  retrying(async () => {
    const stored = await contentRow(core, id);
    if (!stored?.row.value.uncounted) return true;
    const { row, collection } = stored;
    const { uncounted: _, ...value } = row.value;
    const reservation = await reserve(core, value.team_id, value.form_id);
    // The month is full. The plan decides if the submission is sent all the same.
    if (!reservation && !(await deliversBeyond(core, value.team_id))) return false;
    // Spam then counts beyond the month. What came in a full month has been counted so, and an import counts nowhere.
    if (!reservation && !value.verdict.some(({ spam }) => spam)) return true;
    const at = iso(core.clock.now());
    try {
      await core.commitNow([
        put(collection, id, { ...value, over_quota: !reservation }, row.version),
        reservation ? countWrite(value.team_id, at) : usageWrite(value.team_id, at, "over_quota"),
      ]);
      return true;
    } catch (error) {
      await reservation?.giveBack();
      throw error;
    }
  }, MAX_RACES);

async function contentRow(core: Core, id: string) {
  for (const collection of ["submissions", "transient_submissions"] as const) {
    const row = await core.rows.get(collection, id);
    if (row) return { row, collection };
  }
  return null;
}

const markOf = (team_id: string, month: string): MarkId => `month:${team_id}:${month}`;

async function limitOf(core: Core, team_id: string): Promise<{ plan: string; limit: number } | null> {
  const team = await cachedTeam(core, team_id);
  const limit = team ? planOf(core, team.value).submissions_per_month : null;
  return team && limit !== null ? { plan: team.value.plan, limit } : null;
}

/** The counter includes posts from before the plan had a limit; the row includes posts in progress. */
async function readMonth(core: Core, team_id: string, month: string) {
  const [row, counter] = await Promise.all([
    core.rows.mark(markOf(team_id, month), monthLeaf),
    core.rows.get("counters", usageCounter(team_id, month)),
  ]);
  return { row, used: Math.max(row?.value.taken ?? 0, counter?.value.n ?? 0) };
}

/** Serves all who wait for places of one team's month in one commit. */
async function serve(core: Core, asks: readonly Ask[]): Promise<void> {
  const [{ team_id, month }] = asks as [Ask];
  const { row, used } = await readMonth(core, team_id, month);
  let taken = used;
  for (const ask of asks) if (ask.by < 0) taken--;
  for (const ask of asks) {
    if (ask.by < 0) continue;
    ask.granted = taken < ask.limit;
    if (ask.granted) taken++;
  }
  const refused = row?.value.told ? undefined : asks.find(({ by, granted }) => by > 0 && !granted);
  if (taken === used && !refused) return;
  await core.commitNow([
    put("marks", markOf(team_id, month), monthRecord(taken, row, refused !== undefined, month), row?.version ?? null),
    ...(refused ? await noticeOf(core, refused) : []),
  ]);
  if (refused) tell(core, refused);
}

const monthRecord = (taken: number, row: Stored<MonthRecord> | null, tells: boolean, month: string): MonthRecord => ({
  taken,
  told: tells || (row?.value.told ?? false),
  expires_at: iso(Date.parse(`${month}-01`) + KEPT_MS),
});

const exceededBy = ({ plan, limit, month }: Ask): PlanExceeded => ({ plan, limit, month });

async function noticeOf(core: Core, ask: Ask): Promise<Write[]> {
  const { team_id, form_id } = ask;
  const to = (await cachedTeam(core, team_id))?.value.owner.email;
  const told = tellHost(core, "plan.exceeded", { team_id, ...exceededBy(ask) });
  if (!to) return told;
  return [
    ...told,
    mailJob(core, deliveryId(core.clock.now()), core.storeClock.now(), {
      kind: "plan_notice",
      target: DEFAULT_SERVER,
      to,
      form_id,
      team_id,
      event: "plan.exceeded",
      exceeded: exceededBy(ask),
    }),
  ];
}

function tell(core: Core, ask: Ask): void {
  const { team_id, plan, limit, month } = ask;
  core.queue.wake("email");
  wakeHost(core);
  core.options.logger.warn(
    `team ${team_id}: ${limit} submissions of plan ${plan} are used up for ${month}; further submissions are stored but not sent`,
    { team_id, ...exceededBy(ask) },
  );
  core.events.emit("plan.exceeded", { team_id, ...exceededBy(ask) });
}
