import { type Core, find } from "../core.ts";
import type { Stored } from "../drivers/storage/types.ts";
import type { EmailServerRecord } from "./schema.ts";

/** The row of an email server, or null. */
export const findServer = (core: Core, id: string): Promise<Stored<EmailServerRecord> | null> =>
  find<EmailServerRecord>(core, "email_servers", id);
