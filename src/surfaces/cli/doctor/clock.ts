import type { Findings } from "../../../lib/sender-dns/finding.ts";

const OFF_MS = 5_000;
/** Receivers of webhooks refuse signatures that are older. */
const TOO_FAR_MS = 5 * 60_000;

/** Compares a clock, read at `here` by our own, with ours; both in epoch ms. */
export async function findClock(find: Findings, whose: string, there: number, here: number): Promise<void> {
  const off = there - here;
  const seconds = Math.round(Math.abs(off) / 1_000);
  if (Math.abs(off) < OFF_MS) return find.ok(`${whose} agrees with this machine's.`);
  const message = `${whose} is ${seconds} s ${off > 0 ? "ahead of" : "behind"} this machine's.`;
  if (Math.abs(off) < TOO_FAR_MS) return find.warning(message, "Synchronize both with NTP: timedatectl set-ntp true");
  find.failed(
    `${message} Signatures of webhooks and links in emails are refused when clocks are this far apart.`,
    "Synchronize both with NTP: timedatectl set-ntp true",
  );
}
