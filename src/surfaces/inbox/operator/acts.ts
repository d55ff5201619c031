import { redirect } from "../answer.ts";
import { ownPath, posted } from "../body.ts";
import type { MemberRequest } from "../visit.ts";
import { enteredCookie, leftCookie } from "./entered.ts";
import { operations } from "./layout.ts";

/** Goes into a team, which its audit tells. */
export async function enterAct(visit: MemberRequest): Promise<Response> {
  const body = await posted(visit.exchange.request);
  const { id } = await visit.operate(operations.enterTeam, { team_id: body.get("team") ?? "" });
  const place = visit.to(ownPath(body.get("next")) ?? "/");
  return redirect(visit.settings, place, await enteredCookie(visit, visit.member.user.id, id));
}

/** Leaves the team, and leads to its page. */
export async function leaveAct(visit: MemberRequest): Promise<Response> {
  const team = visit.member.operator?.entered;
  return redirect(visit.settings, visit.to("/operator/team", { team: team?.id }), leftCookie(visit));
}

/** Locks or unlocks a form or a team. */
export async function lockAct(visit: MemberRequest): Promise<Response> {
  const body = await posted(visit.exchange.request);
  const id = body.get("id") ?? "";
  const isTeam = body.get("kind") === "team";
  if (body.get("action") === "lock") {
    const input = { id, reason: body.get("reason") ?? "" };
    if (isTeam) await visit.operate(operations.operatorLockTeam, input);
    else await visit.operate(operations.operatorLockForm, input);
  } else if (isTeam) await visit.operate(operations.operatorUnlockTeam, { id });
  else await visit.operate(operations.operatorUnlockForm, { id });
  const back = ownPath(body.get("back")) ?? "/operator";
  return redirect(visit.settings, visit.to(back));
}
