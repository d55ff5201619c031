import { z } from "zod";
import { Timestamp } from "../lib/wire.ts";

/** How long a submission is in the trash. */
export const TrashTimes = z.object({
  /** The time at which it was deleted. */
  trashed_at: Timestamp,
  /** The time at which it is removed. */
  expires_at: Timestamp,
});
