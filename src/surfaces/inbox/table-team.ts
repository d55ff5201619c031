import type { InboxRow } from "./rows.ts";
import { createAct, createScreen } from "./screens/create.ts";
import { serversAct, serversScreen } from "./screens/email-servers.ts";
import { keysAct, keysScreen } from "./screens/keys.ts";
import { repliesAct, repliesScreen } from "./screens/replies.ts";
import { suppressionsAct, suppressionsScreen } from "./screens/suppressions.ts";
import { teamAct, teamScreen } from "./screens/team.ts";

/** The pages about a team: its next form, keys, texts and servers. */
export const teamRows: readonly InboxRow[] = [
  { method: "GET", path: "/new", part: "new", needs: ["forms:write"], show: (visit) => createScreen(visit) },
  { method: "POST", path: "/new", part: "new", needs: ["forms:write"], show: createAct },
  {
    method: "GET",
    path: "/team",
    part: "team",
    needs: [],
    admin: true,
    whole: true,
    show: (visit) => teamScreen(visit),
  },
  { method: "POST", path: "/team", part: "team", needs: [], admin: true, whole: true, show: teamAct },
  {
    method: "GET",
    path: "/keys",
    part: "keys",
    needs: [],
    right: "keys",
    whole: true,
    show: (visit) => keysScreen(visit),
  },
  { method: "POST", path: "/keys", part: "keys", needs: [], right: "keys", whole: true, show: keysAct },
  {
    method: "GET",
    path: "/email-servers",
    part: "email-servers",
    needs: [],
    right: "email_servers",
    whole: true,
    show: (visit) => serversScreen(visit),
  },
  {
    method: "POST",
    path: "/email-servers",
    part: "email-servers",
    needs: [],
    right: "email_servers",
    whole: true,
    show: serversAct,
  },
  {
    method: "GET",
    path: "/suppressions",
    part: "suppressions",
    needs: ["forms:read"],
    admin: true,
    whole: true,
    show: (visit) => suppressionsScreen(visit),
  },
  {
    method: "POST",
    path: "/suppressions",
    part: "suppressions",
    needs: ["forms:read"],
    admin: true,
    whole: true,
    show: suppressionsAct,
  },
  {
    method: "GET",
    path: "/replies",
    part: "replies",
    needs: ["submissions:read", "submissions:write"],
    whole: true,
    show: (visit) => repliesScreen(visit),
  },
  {
    method: "POST",
    path: "/replies",
    part: "replies",
    needs: ["submissions:read", "submissions:write"],
    whole: true,
    show: repliesAct,
  },
];
