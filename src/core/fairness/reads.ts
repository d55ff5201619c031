import type { StorageDriver } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { createGate } from "../../lib/gate.ts";
import { makeWay } from "../../lib/turn.ts";
import type { Caller } from "../../model/keys.ts";
import type { Core } from "../core.ts";
import { perBackend } from "../per-backend.ts";

/** Long reads at once, for stores that don't define a number. */
const READERS = 8;
/** Reads of one team that wait for their turn. */
const MAX_WAITING = 64;
const MAX_WAIT_MS = 10_000;
/** While posts are under way, a slot stays free for as long as it was used, up to this, so that the database has time for them. */
const MAX_REST_MS = 250;

/** The methods of the store that a long read uses. */
export type Reader = Pick<StorageDriver, "page" | "count" | "get">;

const gateOf = perBackend(({ storage }) => createGate(storage.readers ?? READERS));
/** The turns of each team: one of its statements runs at a time. Several at once kept the cores of a small database from posts. */
const turnsOf = perBackend(() => createGate(Number.POSITIVE_INFINITY));

/**
 * The store, for reads whose cost a caller decides: counts, exports, filtered lists. Each statement waits for one of a few
 * slots, so posts always find the store free. One team uses at most half of the slots, however many keys it has, and teams take
 * turns. Its methods throw `scan_concurrency` if too many reads of the team wait, or one has waited for 10 s.
 */
export function readerOf(core: Core, caller: Caller): Reader {
  const { storage } = core;
  const places = storage.readers ?? READERS;
  const host = caller.team_ids === null;
  const key = host ? "" : caller.team_ids.join();
  const limits = { share: host ? places : Math.ceil(places / 2), waiting: host ? undefined : MAX_WAITING };

  async function inPlace<T>(read: () => Promise<T>): Promise<T> {
    const wait = new AbortController();
    // The host in process waits as long as it takes.
    const cancel = host ? () => {} : core.clock.setTimer(() => wait.abort(busy()), MAX_WAIT_MS);
    const leave = await gateOf(core)
      .enter(key, { ...limits, signal: wait.signal })
      .finally(cancel);
    if (!leave) throw busy();
    const started = performance.now();
    try {
      return await read();
    } finally {
      const rest = host || storage.readers === undefined ? 0 : Math.min(performance.now() - started, MAX_REST_MS);
      void (makeWay(rest)?.then(leave) ?? leave());
    }
  }

  async function takeTurn<T>(statement: () => Promise<T>): Promise<T> {
    const leave = await turnsOf(core).enter(key, { share: 1 });
    try {
      return await statement();
    } finally {
      leave?.();
    }
  }
  const inTurn = host ? undefined : takeTurn;

  return {
    page: (collection, query) => inPlace(() => storage.page(collection, { ...query, inTurn })),
    count: (collection, query) => inPlace(() => storage.count(collection, { ...query, inTurn })),
    get: (collection, ids) => inPlace(() => storage.get(collection, ids)),
  };
}

const busy = (): ApiError =>
  new ApiError("scan_concurrency", {
    message: "Too many of your team's counts, exports and filtered requests are waiting; try again in a moment.",
    headers: { "retry-after": "1" },
  });
