import { enterAct, leaveAct, lockAct } from "./acts.ts";
import { findAct, findScreen } from "./find.ts";
import { queueScreen } from "./queue.ts";
import { locksScreen, reportsScreen } from "./reports.ts";
import { teamScreen } from "./team.ts";
import { teamsScreen } from "./teams.ts";

/** Every page and act of operators. */
export const screens = {
  teams: teamsScreen,
  team: teamScreen,
  find: (visit) => findScreen(visit),
  findAct,
  queue: queueScreen,
  reports: reportsScreen,
  locks: locksScreen,
  lockAct,
  enterAct,
  leaveAct,
} satisfies Record<string, (visit: import("../visit.ts").MemberRequest) => Promise<Response>>;
