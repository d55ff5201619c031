import { z } from "zod";
import { Moment } from "../lib/wire.ts";

/** Which submissions to send to a webhook that never had them. */
export const BackfillInput = z
  .strictObject({
    created_after: Moment.optional().describe("Only submissions from this moment or later."),
  })
  .meta({ id: "BackfillInput" });
export type BackfillInput = z.output<typeof BackfillInput>;

/** The number of submissions that are sent. */
export const Backfilled = z
  .object({
    /** Deliveries that were queued. */
    queued: z.int().min(0),
    has_more: z.boolean().describe("One call queues at most 10,000; while this is true, call again."),
  })
  .meta({ id: "Backfilled" });
export type Backfilled = z.infer<typeof Backfilled>;
