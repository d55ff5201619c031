import type { Write } from "../../drivers/storage/types.ts";
import { HOUR_MS, iso } from "../../lib/clock.ts";
import { mailboxKey } from "../../lib/email.ts";
import { block, dictionary, type Leaves, nullable, time } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";
import type { Core } from "../core.ts";
import { put, retrying } from "../rows.ts";
import { signerFor } from "../signer-for.ts";

/** Mails sent within the hour: a name for each, and its time. */
export interface Sent {
  jobs: Record<string, string>;
  expires_at: string | null;
}

export const sentLeaves: Leaves<Sent> = { jobs: dictionary(time()), expires_at: nullable(time()) };
const sentLeaf = block(sentLeaves);

/** A count in the store, which all processes share. */
export interface HourlyCount {
  readonly mark: MarkId;
  readonly most: number;
  /** The time that it counts; default an hour. */
  readonly ms?: number;
}

const signers = {
  reply: signerFor("reply guard"),
  owner: signerFor("owner guard"),
  test: signerFor("test guard"),
  confirmation: signerFor("confirmation guard"),
  "opt-in": signerFor("opt-in guard"),
  "again-owner": signerFor("again-owner guard"),
  "again-visitor": signerFor("again-visitor guard"),
  "reply-to": signerFor("reply-to guard"),
  answered: signerFor("answered"),
  forward: signerFor("forward guard"),
};

/** A count of the mails to one mailbox. The mark does not tell the address. */
export const countOfMailbox = (
  core: Core,
  purpose: keyof typeof signers,
  address: string,
  most: number,
): HourlyCount => ({
  mark: `${purpose}:${signers[purpose](core).conceal(mailboxKey(address))}`,
  most,
});

/**
 * Counts one mail in all of `counts`, or in none if one of them is full. Then it returns the time when that has room again, in
 * epoch ms, otherwise null. The same `name` counts once, so another attempt of one delivery is not counted again.
 */
export async function takeHourly(core: Core, counts: readonly HourlyCount[], name: string): Promise<number | null> {
  return retrying(async () => {
    const now = core.clock.now();
    const writes: Write[] = [];
    for (const { mark, most, ms = HOUR_MS } of counts) {
      const before = await core.rows.mark(mark, sentLeaf);
      const others = withinTheHour(before?.value.jobs ?? {}, now, ms).filter(([job]) => job !== name);
      const oldest = others[0];
      if (oldest && others.length >= most) return Date.parse(oldest[1]) + ms;
      const value: Sent = { jobs: { ...Object.fromEntries(others), [name]: iso(now) }, expires_at: iso(now + ms) };
      writes.push(put("marks", mark, value, before?.version ?? null));
    }
    await core.commitNow(writes);
    return null;
  });
}

/** The mails of the last hour, or of the last `ms`, oldest first. */
export const withinTheHour = (jobs: Sent["jobs"], now: number, ms: number = HOUR_MS): [job: string, at: string][] =>
  Object.entries(jobs)
    .filter(([, at]) => Date.parse(at) > now - ms)
    .sort(([, a], [, b]) => (a < b ? -1 : 1));
