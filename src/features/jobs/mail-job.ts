import type { Core } from "../../core/core.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { jobWrite, type NewJob } from "../webhooks/new-job.ts";

/** The write of a mail that no submission causes directly, due at `at` (by the store's clock). */
export const mailJob = (core: Core, id: string, at: number, given: NewJob & { to: string }): Write =>
  jobWrite(core, id, at, given);
