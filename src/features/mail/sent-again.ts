import type { Mail } from "../../drivers/mailer/types.ts";
import type { JobRecord } from "../../model/jobs.ts";

/**
 * A job's mail under the key by which a service drops repeats: one key for all retries, and another once somebody has it sent
 * again. The Message-ID stays, so that mail programs show it once.
 */
export const sentAgain = (mail: Mail, { window_from = 0 }: JobRecord): Mail =>
  window_from === 0 ? mail : { ...mail, idempotencyKey: `${mail.messageId}/${window_from}` };
