import { randomUUID } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { put } from "../../core/rows.ts";
import { StaleWriteError } from "../../drivers/storage/types.ts";
import { HOUR_MS, iso } from "../../lib/clock.ts";
import { block, nullable, text, time } from "../../lib/leaves.ts";
import { sweep } from "./sweep.ts";

/** A sweep that has shown no sign of life for so long has died with its process. */
const LEASE_MS = 5 * 60_000;
const RENEW_MS = 60_000;
/** Timers and clocks of machines differ by a little. */
const SLACK_MS = 60_000;
const MARK = "sweep";

/** Who sweeps, and until when, and when the last sweep was done. It does not expire. */
interface Turn {
  /** Null while nobody sweeps. */
  holder: string | null;
  until: string;
  done_at: string | null;
  expires_at: null;
}

const turnLeaf = block<Turn>({
  holder: nullable(text()),
  until: text(),
  done_at: nullable(time()),
  expires_at: { read: () => null },
});

/** Another process has taken over. */
class TurnLost extends Error {}

/**
 * The hourly sweep, in one process of all that share the store. Returns the milliseconds after which this process has to ask
 * again: when the next sweep is due, or when a process that sweeps now must have shown that it lives.
 */
export async function sweepInTurn(core: Core): Promise<number> {
  const holder = randomUUID();
  const now = (): number => core.storeClock.now();
  const row = await core.rows.mark(MARK, turnLeaf);
  const last = row?.value ?? null;
  const held = last?.holder ? Date.parse(last.until) - now() : 0;
  // A time far ahead was set by a wrong clock.
  if (held > 0 && held <= LEASE_MS + SLACK_MS) return held + SLACK_MS;
  const since = last?.done_at ? now() - Date.parse(last.done_at) : HOUR_MS;
  if (since > -SLACK_MS && since < HOUR_MS - SLACK_MS) return HOUR_MS - since;

  let version = row?.version ?? null;
  let renewed = now();
  const write = async (turn: Omit<Turn, "expires_at">): Promise<void> => {
    try {
      await core.commitNow([put("marks", MARK, { ...turn, expires_at: null }, version)]);
      version = (version ?? 0) + 1;
    } catch (error) {
      throw error instanceof StaleWriteError ? new TurnLost() : error;
    }
  };
  const hold = (): Promise<void> =>
    write({ holder, until: iso(now() + LEASE_MS), done_at: last?.done_at ?? null }).then(() => {
      renewed = now();
    });
  try {
    await hold();
    await sweep(core, async () => {
      if (now() - renewed >= RENEW_MS) await hold();
    });
    await write({ holder: null, until: iso(now()), done_at: iso(now()) });
    return HOUR_MS;
  } catch (error) {
    if (error instanceof TurnLost) return LEASE_MS + SLACK_MS;
    // Another process may try at once.
    await write({ holder: null, until: iso(now()), done_at: last?.done_at ?? null }).catch(() => {});
    throw error;
  }
}
