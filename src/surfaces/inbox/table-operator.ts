import type { InboxRow } from "./rows.ts";
import type { MemberRequest } from "./visit.ts";

type Screens = typeof import("./operator/screens.ts").screens;

/** The screens are loaded for an operator alone. */
const late =
  (name: keyof Screens) =>
  async (visit: MemberRequest): Promise<Response> =>
    (await import("./operator/screens.ts")).screens[name](visit);

const row = (method: InboxRow["method"], path: string, name: keyof Screens): InboxRow => ({
  method,
  path: `/operator${path}`,
  needs: [],
  operator: true,
  show: late(name),
});

/** The pages about all teams, for those who run the backend. */
export const operatorRows: readonly InboxRow[] = [
  row("GET", "", "teams"),
  row("GET", "/team", "team"),
  row("GET", "/find", "find"),
  row("POST", "/find", "findAct"),
  row("GET", "/queue", "queue"),
  row("GET", "/reports", "reports"),
  row("GET", "/locks", "locks"),
  row("POST", "/lock", "lockAct"),
  row("POST", "/enter", "enterAct"),
  row("POST", "/leave", "leaveAct"),
];
