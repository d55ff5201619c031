import type { BlobDriver } from "./drivers/blob/types.ts";
import type { MailerDriver } from "./drivers/mailer/types.ts";
import type { QueueDriver } from "./drivers/queue/types.ts";
import type { CollectionName } from "./drivers/storage/schema.ts";
import { StaleWriteError, type StorageDriver, type Stored, type Write } from "./drivers/storage/types.ts";
import { ApiError } from "./errors.ts";
import type { EventHub } from "./events.ts";
import type { FormRecord } from "./forms/schema.ts";
import type { Committer } from "./intake/commit.ts";
import type { First } from "./intake/idempotency.ts";
import type { StoreClock } from "./jobs/store-clock.ts";
import type { JoinedFind } from "./joined.ts";
import type { TokenVerifier } from "./keys/oauth.ts";
import type { KeyRecord } from "./keys/schema.ts";
import { type Cache, createCache } from "./lib/cache.ts";
import type { Clock } from "./lib/clock.ts";
import type { Limits } from "./lib/rate-limit.ts";
import type { Seal } from "./lib/seal.ts";
import type { Options } from "./options.ts";
import type { Cursors } from "./paging.ts";
import type { Recall } from "./spam/recall.ts";
import type { RenderTokens } from "./spam/token.ts";
import type { TeamRecord } from "./teams/schema.ts";
import type { Telemetry } from "./telemetry.ts";
import type { WebhookClient } from "./webhooks/request.ts";

/** What every service works with: the options as resolved, the four ports, time, secrets. It is made once, in `backend.ts`. */
export interface Core {
  readonly options: Options;
  readonly storage: StorageDriver;
  readonly mailer: MailerDriver;
  readonly blob: BlobDriver;
  readonly queue: QueueDriver;
  readonly clock: Clock;
  /** For everything that is due at some time. */
  readonly storeClock: StoreClock;
  readonly seal: Seal;
  readonly cursors: Cursors;
  readonly renderTokens: RenderTokens;
  readonly recall: Recall;
  readonly limits: Limits;
  /** Null where OAuth is not configured. */
  readonly oauth: TokenVerifier | null;
  readonly events: EventHub;
  readonly telemetry: Telemetry;
  /** The document of every v1 route. */
  readonly openapi: { document(): object; text(): string };
  readonly webhookClient: WebhookClient;
  readonly committer: Committer;
  /** `find` for deliveries and mails, of which dozens run at the same time. */
  readonly findJoined: JoinedFind;
  /** Posts that are being stored under an idempotency key in this process. */
  readonly runningKeys: Map<string, Promise<First>>;
  /** Filtered submission requests that run in this process, by credential. */
  readonly runningScans: Map<string, number>;
  /** A 24-hex id in creation order. */
  readonly sortableId: (now: number) => string;
  /** Rows that intake and authentication read on every request, at most 2 s old where another process wrote. */
  readonly cached: {
    readonly forms: Cache<Stored<FormRecord>>;
    readonly teams: Cache<Stored<TeamRecord>>;
    readonly keys: Cache<Stored<KeyRecord>>;
  };
}

export const createCaches = (clock: Clock): Core["cached"] => ({
  forms: createCache(clock),
  teams: createCache(clock),
  keys: createCache(clock),
});

/** One row, or null. */
export async function find<T>(core: Core, collection: CollectionName, id: string): Promise<Stored<T> | null> {
  return ((await core.storage.get(collection, [id])).get(id) as Stored<T> | undefined) ?? null;
}

/**
 * Changes one row under its version and tries again when another writer was faster, so that no writer's change is lost.
 * `change` answers the new value, or null to leave the row alone; it may throw. `also` adds writes to the same commit.
 */
export async function update<T extends object>(
  core: Core,
  collection: CollectionName,
  id: string,
  change: (value: T) => T | null | Promise<T | null>,
  missing: () => Error,
  also: (value: T) => readonly Write[] = () => [],
): Promise<T> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const row = await find<T>(core, collection, id);
    if (!row) throw missing();
    const value = await change(row.value);
    if (value === null) return row.value;
    try {
      await core.storage.commit([
        { op: "put", collection, id, value: value as Record<string, unknown>, expect: row.version },
        ...also(value),
      ]);
      return value;
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      // Writers that lost wait a little, each differently, or they would lose together for ever.
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** attempt, 50)));
    }
  }
  throw new ApiError("unavailable", { headers: { "retry-after": "1" } });
}
