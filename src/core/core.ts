import type { BlobDriver } from "../drivers/blob/types.ts";
import type { MailerDriver } from "../drivers/mailer/types.ts";
import type { QueueDriver } from "../drivers/queue/types.ts";
import type { StorageDriver, Write } from "../drivers/storage/types.ts";
import type { Clock } from "../lib/clock.ts";
import type { Seal } from "../lib/seal.ts";
import type { Committer } from "./commit.ts";
import type { EventHub } from "./events.ts";
import type { Options } from "./options/types.ts";
import type { Cursors } from "./paging.ts";
import type { Limits } from "./rates/rate-limit.ts";
import type { Rows } from "./rows.ts";
import type { StoreClock } from "./store-clock.ts";
import type { Telemetry } from "./telemetry.ts";
import type { WebhookClient } from "./webhook-client.ts";

/** Everything that a service needs: the resolved options, the four ports, time, secrets. `engine.ts` makes it once for each backend. */
export interface Core {
  readonly options: Options;
  /** The store, for what `rows` does not read. Its commits are `commitNow` and `commitTogether`. */
  readonly storage: Omit<StorageDriver, "commit">;
  /** The same with types: every record is read through it. */
  readonly rows: Rows;
  readonly mailer: MailerDriver;
  readonly blob: BlobDriver;
  readonly queue: QueueDriver;
  readonly clock: Clock;
  /** For everything that is due at some time. */
  readonly storeClock: StoreClock;
  readonly seal: Seal;
  readonly cursors: Cursors;
  readonly limits: Limits;
  readonly events: EventHub;
  readonly telemetry: Telemetry;
  /** The document of every v1 route. */
  readonly openapi: { document(): object; text(): string };
  readonly webhookClient: WebhookClient;
  /**
   * Writes at once, in a transaction of its own: all or nothing, and durable when it resolves. For management and cleanup.
   * Throws `StaleWriteError` if another writer was faster.
   */
  readonly commitNow: (writes: readonly Write[]) => Promise<void>;
  /**
   * Shares a transaction with other requests, for what happens with each post or delivery. Teams take turns; without a team,
   * the system has a turn of its own. `bytes` is the approximate weight. Throws `StaleWriteError`, and `unavailable` if too
   * much waits already.
   */
  readonly commitTogether: Committer["commit"];
  /** A 24-hex id in creation order. */
  readonly sortableId: (now: number) => string;
}
