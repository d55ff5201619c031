import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import { ignoreStale, put } from "../../core/rows.ts";
import { iso } from "../../lib/clock.ts";
import { sameAddressKey } from "../../lib/email.ts";
import { allRecipients, type JobRecord } from "../../model/jobs.ts";
import type { JobOutcome } from "../../model/outcome.ts";
import { DELIVERY_WINDOW_MS } from "../webhooks/schedule.ts";
import type { Draft } from "./letter.ts";
import { wantedOf } from "./prepare.ts";

const MAX_FAULTS = 10;

/** A job's own name for the mail of one of its recipients, the same at every attempt. */
const nameOf = (id: string, at: number): string => `${id}.${at}`;

/**
 * The recipients that the one message to several goes to now. `waitOf` says if one of them must wait; that one gets a mail of
 * its own, which waits by itself. Returns the wait if none is left.
 */
export async function sharedBy(
  core: Core,
  id: string,
  job: JobRecord,
  draft: Draft,
  waitOf: (name: string, job: JobRecord) => Promise<JobOutcome | null>,
): Promise<Draft | JobOutcome> {
  const { copies: _, ...alone } = job;
  const all = allRecipients(job);
  const wanted = new Set(allRecipients(draft));
  const gone = await core.rows.many(
    "jobs",
    all.map((_, at) => nameOf(id, at)),
  );
  const ready = new Set<string>();
  const late: { readonly at: number; readonly wait: JobOutcome | null }[] = [];
  for (const [at, address] of all.entries()) {
    if (!wanted.has(address) || gone.has(nameOf(id, at))) continue;
    const wait = await waitOf(at === 0 ? id : nameOf(id, at), { ...alone, to: address });
    // A driver that sends to one recipient at a time would lose the others.
    if (wait || (ready.size > 0 && !core.mailer.copies)) late.push({ at, wait });
    else ready.add(address);
  }
  const [first, ...others] = late;
  const waits = ready.size === 0 ? (first?.wait ?? null) : null;
  for (const { at } of waits ? others : late) await splitOff(core, id, alone, at, all[at] ?? "");
  if (waits) return waits;
  const shared = wantedOf(job, (address) => ready.has(address));
  // Nobody sees those in Bcc: where they alone are left, each gets a mail of its own.
  const left = new Set(shared ? allRecipients(shared) : []);
  for (const [at, address] of all.entries()) {
    if (ready.has(address) && !left.has(address)) await splitOff(core, id, alone, at, address);
  }
  const { copies: __, ...rest } = draft;
  return shared ? { ...rest, ...shared } : { status: "succeeded", code: "SUCCESS" };
}

/**
 * Gives each recipient that the server refused a mail of its own, which says so, or arrives later. Never rejects, for the others
 * have their mail, and another attempt would send it to them again.
 */
export async function retryRefused(core: Core, id: string, job: JobRecord, refused: readonly string[]): Promise<void> {
  const { copies: _, ...alone } = job;
  const keys = new Set(refused.map(sameAddressKey));
  for (const [at, address] of allRecipients(job).entries()) {
    if (keys.has(sameAddressKey(address))) await surely(core, id, () => splitOff(core, id, alone, at, address));
  }
}

/** Tries again for seconds, as a result that can't be stored is, and then gives up with a line in the log. */
async function surely(core: Core, id: string, work: () => Promise<void>): Promise<void> {
  for (let faults = 1; ; faults++) {
    try {
      return await work();
    } catch (error) {
      if (faults === MAX_FAULTS) {
        core.options.logger.error(
          `job ${id}: the mail of its own for a refused recipient could not be stored, so there is none: ${faultText(error)}`,
        );
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.min(25 * 2 ** faults, 1_000)));
    }
  }
}

async function splitOff(core: Core, id: string, job: JobRecord, at: number, to: string): Promise<void> {
  const due = core.storeClock.now();
  const own: JobRecord = {
    ...job,
    to,
    status: "pending",
    code: "PENDING",
    attempt: 0,
    lost: 0,
    leased: false,
    due_at: iso(due),
    deadline_at: iso(due + DELIVERY_WINDOW_MS),
    attempts: [],
  };
  // An earlier attempt may have done it.
  await core.commitNow([put("jobs", nameOf(id, at), own, null)]).catch(ignoreStale);
  core.queue.wake("email");
}
