import { allOrNone, batchByKey } from "../../lib/batch-by-key.ts";
import { HOUR_MS, iso } from "../../lib/clock.ts";
import { mailboxKey } from "../../lib/email.ts";
import { block, dictionary, type Leaves, nullable, time } from "../../lib/leaves.ts";
import type { MarkId } from "../../model/marks.ts";
import type { Core } from "../core.ts";
import { perBackend } from "../per-backend.ts";
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

interface Ask {
  readonly counts: readonly HourlyCount[];
  readonly name: string;
  /** When there is room again; null if the mail is counted. */
  until: number | null;
}

/** Mails that are counted at once in one process share a commit, or all but one would collide. */
const asking = perBackend((core) => batchByKey<Ask>(allOrNone((asks) => retrying(() => decide(core, asks)))));

/**
 * Counts one mail in all of `counts`, or in none if one of them is full. Then it returns the time when that has room again, in
 * epoch ms, otherwise null. The same `name` counts once, so another attempt of one delivery is not counted again.
 */
export async function takeHourly(core: Core, counts: readonly HourlyCount[], name: string): Promise<number | null> {
  const ask: Ask = { counts, name, until: null };
  await asking(core)(counts[0]?.mark ?? "", ask);
  return ask.until;
}

async function decide(core: Core, asks: readonly Ask[]): Promise<void> {
  const now = core.clock.now();
  const found = new Map<MarkId, { readonly version: number | null; readonly jobs: Map<string, string> }>();
  const changed = new Map<MarkId, Sent>();
  const countOf = async ({ mark, ms = HOUR_MS }: HourlyCount) => {
    const known = found.get(mark);
    if (known) return known;
    const row = await core.rows.mark(mark, sentLeaf);
    const count = { version: row?.version ?? null, jobs: new Map(withinTheHour(row?.value.jobs ?? {}, now, ms)) };
    found.set(mark, count);
    return count;
  };
  const fullUntil = async ({ counts, name }: Ask): Promise<number | null> => {
    for (const count of counts) {
      const { jobs } = await countOf(count);
      const others = [...jobs].filter(([job]) => job !== name);
      const oldest = others[0];
      if (oldest && others.length >= count.most) return Date.parse(oldest[1]) + (count.ms ?? HOUR_MS);
    }
    return null;
  };
  for (const ask of asks) {
    ask.until = await fullUntil(ask);
    if (ask.until !== null) continue;
    for (const count of ask.counts) {
      const { jobs } = await countOf(count);
      // To the end: the first one is the oldest.
      jobs.delete(ask.name);
      jobs.set(ask.name, iso(now));
      const expires_at = iso(now + (count.ms ?? HOUR_MS));
      changed.set(count.mark, { jobs: Object.fromEntries(jobs), expires_at });
    }
  }
  if (changed.size === 0) return;
  await core.commitNow([...changed].map(([mark, sent]) => put("marks", mark, sent, found.get(mark)?.version ?? null)));
}

/** The mails of the last hour, or of the last `ms`, oldest first. */
export const withinTheHour = (jobs: Sent["jobs"], now: number, ms: number = HOUR_MS): [job: string, at: string][] =>
  Object.entries(jobs)
    .filter(([, at]) => Date.parse(at) > now - ms)
    .sort(([, a], [, b]) => (a < b ? -1 : 1));
