import type { Core } from "../../core/core.ts";
import { countOfMailbox, takeHourly } from "../../core/rates/hourly.ts";

const MAX_AN_HOUR = 3;

/**
 * True if one more automatic reply may go to an address, which is then counted. Anybody can enter anybody's address into a
 * form, so no mailbox gets more than 3 an hour from all forms and processes together. Another attempt of the same delivery is
 * not counted again.
 */
export const mayReply = async (core: Core, jobId: string, address: string): Promise<boolean> =>
  (await takeHourly(core, [countOfMailbox(core, "reply", address, MAX_AN_HOUR)], jobId)) === null;
