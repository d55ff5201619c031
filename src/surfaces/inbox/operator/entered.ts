import { HOUR_MS } from "../../../lib/clock.ts";
import { nameOfEntered } from "../../api/sign-in.ts";
import type { MountedInbox } from "../mounted.ts";
import { type Member, memberOf } from "../roles.ts";
import { seal, unsealed } from "../session.ts";

/** The cookie of the team that an operator has entered, beside the session. */
export const COOKIE = "team";
/** An operator goes into a team for a case, and has to enter it again after this time. */
const LONGEST_MS = 4 * HOUR_MS;
const KIND = "entered";

interface Entered {
  readonly user_id: string;
  readonly team_id: string;
  readonly expires: number;
}

/** The header with which an operator is in a team. */
export async function enteredCookie({ core, cookies }: MountedInbox, user_id: string, team_id: string) {
  const value: Entered = { user_id, team_id, expires: core.clock.now() + LONGEST_MS };
  return { "set-cookie": cookies.write(COOKIE, await seal(core, KIND, value), { seconds: LONGEST_MS / 1_000 }) };
}

/** The header with which an operator leaves it. */
export const leftCookie = ({ cookies }: MountedInbox) => ({ "set-cookie": cookies.write(COOKIE, "", { seconds: 0 }) });

/** An operator: an administrator of the team that they have entered, and of no team before. */
export async function operatorOf(mounted: MountedInbox, request: Request, { user, caller }: Member): Promise<Member> {
  const entered = await teamOf(mounted, request, user.id);
  const { role: _, scopes: __, can: ___, form_ids: ____, ...person } = user;
  const team_ids = entered ? [entered.id] : [];
  const rights = entered ? ({ role: "admin" } as const) : { scopes: [] };
  const member = memberOf({ ...person, ...rights, team_ids }, { id: caller.id, operator: true });
  return { ...member, user: { ...user, team_ids }, operator: { entered } };
}

/** Null also for the cookie of somebody else, and once the team is gone. */
async function teamOf({ core, cookies }: MountedInbox, request: Request, user_id: string) {
  const cookie = cookies.read(request, COOKIE);
  const entered = cookie ? ((await unsealed(core, KIND, cookie)) as Entered | null) : null;
  if (!entered || entered.user_id !== user_id || core.clock.now() >= entered.expires) return null;
  const name = await nameOfEntered(core, entered.team_id);
  return name === null ? null : { id: entered.team_id, name };
}
