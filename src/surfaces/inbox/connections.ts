import { takeHourly } from "../../core/rates/hourly.ts";
import { ApiError } from "../../errors.ts";
import { prefixedId } from "../../lib/id.ts";
import type { MemberRequest } from "./visit.ts";

/** Connections to email servers that a team may try in an hour: without a limit, a page would knock at ports of the whole Internet. */
const MOST = 30;

/** Counts one try, over the whole installation. Throws `rate_limited`. */
export async function takeConnection({ core }: MemberRequest, team_id: string): Promise<void> {
  const until = await takeHourly(core, [{ mark: `connections:${team_id}`, most: MOST }], prefixedId("srv"));
  if (until === null) return;
  const seconds = Math.max(1, Math.ceil((until - core.clock.now()) / 1_000));
  throw new ApiError("rate_limited", {
    message: `At most ${MOST} connections to email servers an hour can be tested for a team.`,
    headers: { "retry-after": String(seconds) },
  });
}
