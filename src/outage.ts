import { StaleWriteError, type StorageDriver, type Transaction } from "./drivers/storage/types.ts";
import { ApiError } from "./errors.ts";
import type { Logger } from "./options.ts";

const LOG_EVERY_MS = 1_000;

/**
 * A store whose faults are all one error to callers: `unavailable`, with `Retry-After`, its cause in the log at most once a
 * second. Conflicts pass, for they are answers; so does a TypeError, for it is a mistake in a program and not an outage.
 */
export function withOutages(storage: StorageDriver, logger: Logger): StorageDriver {
  let quietUntil = 0;
  const asOutage = (cause: unknown): never => {
    if (cause instanceof StaleWriteError || cause instanceof TypeError || cause instanceof ApiError) throw cause;
    const now = performance.now();
    if (now >= quietUntil) {
      quietUntil = now + LOG_EVERY_MS;
      logger.error(
        `storage ${storage.name}: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
      );
    }
    throw new ApiError("unavailable", { headers: { "retry-after": "5" }, cause });
  };
  const guarded =
    <A extends unknown[], R>(verb: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await verb.apply(storage, args);
      } catch (error) {
        return asOutage(error);
      }
    };
  const { within } = storage;
  return {
    name: storage.name,
    writers: storage.writers,
    within: within && ((tx: Transaction) => ({ commit: guarded(within.call(storage, tx).commit) })),
    open: () => storage.open(),
    get: guarded(storage.get),
    page: guarded(storage.page),
    count: guarded(storage.count),
    commit: guarded(storage.commit),
    claim: guarded(storage.claim),
    nextDueAt: guarded(storage.nextDueAt),
    close: () => storage.close(),
  };
}
