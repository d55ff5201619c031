import type { Core } from "../../core/core.ts";
import { perBackend } from "../../core/per-backend.ts";
import { put, type Row, retrying } from "../../core/rows.ts";
import type { Stored, Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { allOrNone, batchByKey } from "../../lib/batch-by-key.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import { block, flag, list, number, time } from "../../lib/leaves.ts";
import { createLru } from "../../lib/lru.ts";
import { stockMark, type Team } from "../../model/teams.ts";
import { cachedTeam, knownTeam } from "./service.ts";

const MINUTE_MS = 60_000;
const MAX_RACES = 50;
const COUNT_BUDGET_MS = 10_000;
const TOLD_EVERY_MS = 10 * MINUTE_MS;
const SLICE_MS = 30_000;
/** A submission that was created so long ago is committed or never will be. */
const COMMITTED_MS = 2 * MINUTE_MS;
/** The longest time between taking a place and the time that the submission gets. */
const CREATED_MS = MINUTE_MS;
/** Between two counts: a count trusts that all places of this time are in `recent`. */
const COUNT_EVERY_MS = COMMITTED_MS + CREATED_MS;

/** A number of submissions, and of bytes in their files. */
export interface Stock {
  readonly stored: number;
  readonly bytes: number;
}

/** Places that were taken within half a minute. */
interface Slice extends Stock {
  /** The start of the half minute, in epoch ms. */
  readonly at: number;
}

/**
 * The row of `marks` for a team with a limit. Deletions don't change it, so its numbers are too high, never too low; a team that
 * seems full is counted again.
 */
interface Ledger extends Stock {
  readonly recent: readonly Slice[];
  readonly counted_at: string;
  /** False until a count has found the posts of processes that did not know the limit yet. */
  readonly settled: boolean;
  readonly expires_at: string | null;
}

const ledgerLeaf = block<Ledger>({
  stored: number(0),
  bytes: number(0),
  recent: list(block<Slice>({ at: number(), stored: number(0), bytes: number(0) })),
  counted_at: time(),
  settled: flag(false),
  expires_at: time(),
});

interface Ask extends Stock {
  readonly team_id: string;
  readonly limits: Team["limits"];
  /** `give` returns what was taken at `at`; `hold` takes beyond the limits. */
  readonly how: "take" | "hold" | "give";
  at: number;
  refused: keyof Stock | null;
}

/** Room that a submission takes in its team. */
export interface Room {
  /** Frees the room of a submission that was not stored after all. Never rejects: room that can't be freed is found by the next count. */
  giveBack(): Promise<void>;
}

const turnsOf = perBackend((core) =>
  batchByKey<Ask>(allOrNone((asks) => retrying(() => serve(core, asks), MAX_RACES))),
);
const toldOf = perBackend(() => createLru<number>(1_000));

const limitsStock = ({ stored_submissions, file_bytes }: Team["limits"]): boolean =>
  stored_submissions !== null || file_bytes !== null;

/** False where a team is known to limit neither its submissions nor their files. */
export function mayLimitStock(core: Core, team_id: string): boolean {
  const team = knownTeam(core, team_id);
  return team === null || limitsStock(team.value.limits);
}

/**
 * Takes room for submissions of a team; null where it limits neither them nor their files. `hold` takes it whatever the limits
 * are. Throws `limit_reached` where there is not enough left, and `unavailable`.
 */
export async function takeRoom(
  core: Core,
  team_id: string,
  stock: Stock,
  how: "take" | "hold" = "take",
): Promise<Room | null> {
  const limits = (await cachedTeam(core, team_id))?.value.limits;
  if (!limits || !limitsStock(limits)) return null;
  const ask: Ask = { ...stock, team_id, limits, how, at: 0, refused: null };
  const inTurn = (one: Ask): Promise<void> => turnsOf(core)(team_id, one);
  await inTurn(ask);
  if (ask.refused) throw full(core, ask, ask.refused);
  return { giveBack: () => inTurn({ ...ask, how: "give" }).catch(() => {}) };
}

/**
 * The write that takes room, for a transaction of the host's during which nothing else can be written. Throws `limit_reached`,
 * and `unavailable`.
 */
export async function roomWrites(core: Core, team_id: string, stock: Stock): Promise<Write[]> {
  const limits = (await cachedTeam(core, team_id))?.value.limits;
  if (!limits || !limitsStock(limits)) return [];
  const ask: Ask = { ...stock, team_id, limits, how: "take", at: 0, refused: null };
  const { ledger, row } = await ledgerAfter(core, [ask]);
  if (ask.refused) throw full(core, ask, ask.refused);
  return [ledgerWrite(core, team_id, ledger, row)];
}

async function serve(core: Core, asks: readonly Ask[]): Promise<void> {
  const [{ team_id }] = asks as [Ask];
  const { ledger, row } = await ledgerAfter(core, asks);
  if (ledger !== row?.value) await core.commitNow([ledgerWrite(core, team_id, ledger, row)]);
}

/** The ledger after all asks, beside its row; the row's own where nothing changed. */
async function ledgerAfter(core: Core, asks: readonly Ask[]): Promise<{ ledger: Ledger; row: Stored<Ledger> | null }> {
  const [{ team_id, limits }] = asks as [Ask];
  const now = core.clock.now();
  const row = await core.rows.mark(stockMark(team_id), ledgerLeaf);
  const known = row && (row.value.settled || !mayCount(row.value, now)) ? row.value : null;
  let after = asked(known ?? (await counted(core, team_id, limits, row, now)), asks, now);
  if (known && asks.some(({ refused }) => refused) && mayCount(known, now))
    after = asked(await counted(core, team_id, limits, row, now), asks, now);
  return { ledger: after, row };
}

const ledgerWrite = (core: Core, team_id: string, ledger: Ledger, row: Stored<Ledger> | null): Write =>
  put("marks", stockMark(team_id), { ...ledger, expires_at: iso(core.clock.now() + 2 * DAY_MS) }, row?.version ?? null);

const mayCount = ({ counted_at }: Ledger, now: number): boolean => now - Date.parse(counted_at) >= COUNT_EVERY_MS;

/** The ledger after all asks, and in each of them how it went. The same ledger where nothing changed. */
function asked(before: Ledger, asks: readonly Ask[], now: number): Ledger {
  const slices = new Map(before.recent.map((slice) => [slice.at, slice]));
  let { stored, bytes } = before;
  let changed = false;
  const add = (at: number, by: Stock, sign: 1 | -1): void => {
    const slice = slices.get(at) ?? { at, stored: 0, bytes: 0 };
    slices.set(at, { at, stored: slice.stored + sign * by.stored, bytes: slice.bytes + sign * by.bytes });
    stored += sign * by.stored;
    bytes += sign * by.bytes;
    changed = true;
  };
  // A slice that is gone is in no number any more.
  for (const ask of asks) if (ask.how === "give" && slices.has(ask.at)) add(ask.at, ask, -1);
  for (const ask of asks) {
    if (ask.how === "give") continue;
    const { stored_submissions, file_bytes } = ask.limits;
    const isOver = (limit: number | null, more: number, has: number) =>
      limit !== null && more > 0 && has + more > limit;
    ask.refused = null;
    if (ask.how === "take" && isOver(file_bytes, ask.bytes, bytes)) ask.refused = "bytes";
    if (ask.how === "take" && isOver(stored_submissions, ask.stored, stored)) ask.refused = "stored";
    if (ask.refused) continue;
    ask.at = now - (now % SLICE_MS);
    add(ask.at, ask, 1);
  }
  return changed ? { ...before, stored, bytes, recent: lately([...slices.values()], now) } : before;
}

/** The slices that a count can't see for certain. */
const lately = (slices: readonly Slice[], now: number): Slice[] =>
  slices.filter(({ at }) => at + SLICE_MS > now - COUNT_EVERY_MS);

/**
 * Counts what is stored, and takes what was begun lately from the ledger: some of that may not be committed yet. Without a ledger
 * everything is counted.
 */
async function counted(
  core: Core,
  team_id: string,
  limits: Team["limits"],
  row: Stored<Ledger> | null,
  now: number,
): Promise<Ledger> {
  const recent = lately(row?.value.recent ?? [], now);
  const before = row ? iso(now - COMMITTED_MS) : null;
  const found = {
    stored: limits.stored_submissions === null ? 0 : await submissionsOf(core, team_id, before),
    bytes: limits.file_bytes === null ? 0 : await bytesOf(core, team_id, before),
  };
  return {
    stored: recent.reduce((sum, { stored }) => sum + stored, found.stored),
    bytes: recent.reduce((sum, { bytes }) => sum + bytes, found.bytes),
    recent,
    counted_at: iso(now),
    settled: row !== null,
    expires_at: null,
  };
}

const until = (before: string | null) =>
  before === null ? [] : [{ column: "created_at", op: "lt", value: before } as const];

const collections = ["submissions", "pending_submissions", "trashed_submissions"] as const;

async function submissionsOf(core: Core, team_id: string, before: string | null): Promise<number> {
  let sum = 0;
  for (const collection of collections) {
    const query = { index: "team", equals: { team_id }, where: until(before), budgetMs: COUNT_BUDGET_MS };
    const { count, exact } = await core.storage.count(collection, query);
    if (!exact) core.options.logger.warn(`team ${team_id}: its submissions could not be counted in time`, { team_id });
    sum += count;
  }
  return sum;
}

async function bytesOf(core: Core, team_id: string, before: string | null): Promise<number> {
  let sum = 0;
  for (const collection of collections) {
    const attached = { column: "attached", op: "in", value: [true] } as const;
    const where = collection === "pending_submissions" ? until(before) : [attached, ...until(before)];
    for await (const rows of core.rows.walk(collection, { index: "team", equals: { team_id }, where }))
      sum += bytesIn(rows);
  }
  return sum;
}

const bytesIn = (rows: readonly Row<(typeof collections)[number]>[]): number =>
  rows.reduce((sum, { value }) => value.attachments.reduce((all, { size }) => all + size, sum), 0);

function full(core: Core, { team_id, limits }: Ask, what: keyof Stock): ApiError {
  const [name, amount] =
    what === "bytes" ? ["file_bytes", limits.file_bytes] : ["stored_submissions", limits.stored_submissions];
  const told = toldOf(core);
  const now = core.clock.now();
  if (now - (told.get(`${team_id} ${what}`) ?? Number.NEGATIVE_INFINITY) >= TOLD_EVERY_MS) {
    told.set(`${team_id} ${what}`, now);
    const sentence = `team ${team_id}: its limit \`${name}\` of ${amount} is reached, so posts are refused`;
    core.options.logger.warn(sentence, { team_id, limit: name, amount });
  }
  return new ApiError("limit_reached", {
    message:
      what === "bytes"
        ? "This form accepts no files of this size at the moment: the storage of its team is full."
        : "This form accepts no submissions at the moment: the storage of its team is full.",
  });
}
