import { createHash } from "node:crypto";
import type { Core } from "../../core/core.ts";
import { countOfMailbox, takeHourly } from "../../core/rates/hourly.ts";
import { put } from "../../core/rows.ts";
import type { Write } from "../../drivers/storage/types.ts";
import { ApiError } from "../../errors.ts";
import { DAY_MS, iso } from "../../lib/clock.ts";
import type { MarkId } from "../../model/marks.ts";

/** Answers of a team in an hour, and those in a day to one address that never wrote back. */
const MOST_OF_TEAM = 100;
const MOST_TO_STRANGER = 20;
const ANSWERED_MS = 400 * DAY_MS;

const teamKey = (team_id: string): string => createHash("sha256").update(team_id).digest("hex").slice(0, 16);

const answeredMark = (core: Core, team_id: string, address: string): MarkId =>
  `${countOfMailbox(core, "answered", address, 1).mark}:${teamKey(team_id)}`;

/** The write that notes that an address has written to a team. */
export const answeredWrite = (core: Core, team_id: string, address: string): Write =>
  put("marks", answeredMark(core, team_id, address), { expires_at: iso(core.clock.now() + ANSWERED_MS) });

/** Counts one answer, once for the same `name`. Throws `rate_limited`. */
export async function takeReply(
  core: Core,
  team_id: string,
  addresses: readonly string[],
  name: string,
): Promise<void> {
  const known = await core.storage.get(
    "marks",
    addresses.map((address) => answeredMark(core, team_id, address)),
  );
  const strangers = addresses.filter((address) => !known.has(answeredMark(core, team_id, address)));
  const until = await takeHourly(
    core,
    [
      { mark: `replies:${team_id}`, most: MOST_OF_TEAM },
      ...strangers.map((address) => {
        const { mark } = countOfMailbox(core, "reply-to", address, MOST_TO_STRANGER);
        return { mark: `${mark}:${teamKey(team_id)}` as MarkId, most: MOST_TO_STRANGER, ms: DAY_MS };
      }),
    ],
    name,
  );
  if (until === null) return;
  throw new ApiError("rate_limited", {
    message: `A team can send ${MOST_OF_TEAM} answers an hour, and ${MOST_TO_STRANGER} a day to an address that has not written back.`,
    headers: { "retry-after": String(Math.max(1, Math.ceil((until - core.clock.now()) / 1_000))) },
  });
}
