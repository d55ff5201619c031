import type { Core } from "../../core/core.ts";
import { ignoreStale, put } from "../../core/rows.ts";
import { askStoreClock } from "../../core/store-clock.ts";
import { DAY_MS, iso, systemClock } from "../../lib/clock.ts";
import { block, nullable, text, time } from "../../lib/leaves.ts";

/** Clocks drift by seconds; a step of more than this is a wrong clock, or a service that was off. */
const MAX_STEP_MS = 3 * DAY_MS;
const DOUBT_MS = DAY_MS;
const MARK = "retention-clock";

/** The time of the last trusted sweep, and since when a later time is doubted. It does not expire. */
interface Believed {
  at: string;
  doubted_since: string | null;
  expires_at: null;
}

const believedLeaf = block<Believed>({
  at: text(),
  doubted_since: nullable(time()),
  expires_at: { read: () => null },
});

/**
 * The time for judging the age of data, in epoch ms: that of the store, whose clock all processes share. A store in this
 * process uses this machine's clock, and removed data can't be restored: a step of more than 3 days counts only once the clock
 * has shown it for a day. Until then retention uses the time of the last sweep.
 */
export async function retentionTime(core: Core): Promise<number> {
  // A clock that the host injected is the host's own word: nothing to ask, and nothing to doubt.
  if (core.clock !== systemClock) return core.clock.now();
  await askStoreClock(core);
  const now = core.storeClock.now();
  const row = await core.rows.mark(MARK, believedLeaf);
  const next = judge(row?.value ?? null, now);
  if (next.doubted_since !== null && row?.value.doubted_since !== next.doubted_since) {
    core.options.logger.warn(
      `the store's clock shows ${iso(now)}, and the last sweep was at ${next.at}: retention waits for a day in case the clock is wrong`,
    );
  }
  // Another process that swept at the same time has written the same.
  await core.commitNow([put("marks", MARK, next, row?.version ?? null)]).catch(ignoreStale);
  return Date.parse(next.at);
}

function judge(before: Believed | null, now: number): Believed {
  const believed: Believed = { at: iso(now), doubted_since: null, expires_at: null };
  if (!before || now - Date.parse(before.at) <= MAX_STEP_MS) return believed;
  const since = before.doubted_since === null ? now : Math.min(Date.parse(before.doubted_since), now);
  return now - since >= DOUBT_MS ? believed : { ...before, doubted_since: iso(since) };
}
