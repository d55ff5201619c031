import { createHmac } from "node:crypto";
import { type Core, find } from "../core.ts";
import { StaleWriteError } from "../drivers/storage/types.ts";
import { iso } from "../lib/clock.ts";
import { deriveKey } from "../lib/seal.ts";

const HOUR_MS = 60 * 60 * 1000;
const MAX_AN_HOUR = 3;
const TRIES = 50;

/** The replies that one address got within the hour, by delivery and time. */
interface Sent {
  readonly jobs: Readonly<Record<string, string>>;
  readonly expires_at: string;
}

/**
 * Whether one more automatic reply may go to an address; if so, it is counted. Anybody can enter anybody's address into a
 * form, so no address gets more than 3 an hour from all forms and processes together. Another attempt of the same delivery
 * takes no second place.
 */
export async function mayReply(core: Core, jobId: string, address: string): Promise<boolean> {
  const id = markOf(core, address);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const now = core.clock.now();
    const before = await find<Sent>(core, "marks", id);
    const others = Object.entries(before?.value.jobs ?? {}).filter(
      ([job, at]) => job !== jobId && Date.parse(at) > now - HOUR_MS,
    );
    if (others.length >= MAX_AN_HOUR) return false;
    const value = { jobs: { ...Object.fromEntries(others), [jobId]: iso(now) }, expires_at: iso(now + HOUR_MS) };
    try {
      await core.storage.commit([{ op: "put", collection: "marks", id, value, expect: before?.version ?? null }]);
      return true;
    } catch (error) {
      if (!(error instanceof StaleWriteError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** attempt, 50)));
    }
  }
  throw new Error("[form-backend] the replies to one address could not be counted: too many at once");
}

/**
 * A name for the address that does not tell it. What stands behind a `+` is left out: most providers deliver all of
 * `ann+1@…`, `ann+2@…` to the same person, whose mailbox would be open to any number of replies.
 */
function markOf(core: Core, address: string): string {
  const at = address.lastIndexOf("@");
  const mailbox = `${address.slice(0, at).replace(/(?<=.)\+.*$/, "")}${address.slice(at)}`.toLowerCase();
  return `reply:${createHmac("sha256", deriveKey(core.options.secret, "reply guard")).update(mailbox).digest("hex")}`;
}
