import type { Caller, InboxRight, Scope } from "../../model/keys.ts";
import type { InboxRole } from "../api/inbox.ts";
import type { User } from "./options-people.ts";

const scopesOf: Readonly<Record<InboxRole, readonly Scope[] | "all">> = {
  viewer: ["forms:read", "submissions:read"],
  agent: ["forms:read", "submissions:read", "submissions:write"],
  editor: ["forms:read", "forms:write", "submissions:read", "submissions:write"],
  admin: "all",
  operator: [],
};

/** A user at a page, with the caller's rights in the services. */
export interface Member {
  readonly user: User;
  readonly caller: Caller;
  readonly can: ReadonlySet<InboxRight>;
  /** Set for an operator of the host, with the team that they have entered. */
  readonly operator?: { readonly entered: { readonly id: string; readonly name: string } | null };
}

/** The rights of a user. A user who may mark and delete may export too, and one who may change forms may block senders and add rules; actions without a scope are for admins. */
export function memberOf(user: User, caller: Partial<Caller> = {}): Member {
  const scopes = user.scopes ?? scopesOf[user.role ?? "viewer"];
  const can = new Set<InboxRight>(user.can);
  if (user.role === "admin") for (const right of ["export", "keys", "email_servers", "erase"] as const) can.add(right);
  if (scopes === "all" || scopes.includes("submissions:write")) can.add("export");
  if (scopes === "all" || scopes.includes("forms:write"))
    for (const right of ["block", "rules"] as const) can.add(right);
  return {
    user,
    can,
    caller: {
      auth: "host",
      id: `inbox:${user.id}`,
      name: user.name,
      team_ids: user.team_ids,
      scopes,
      rights: [...can],
      form_ids: user.form_ids ?? null,
      person: { id: user.id.slice(0, 200), name: user.name.slice(0, 200) || user.id.slice(0, 200) },
      ...caller,
    },
  };
}

/** True if a caller has all of these scopes. */
export const hasScopes = ({ scopes }: Caller, needed: readonly Scope[]): boolean =>
  scopes === "all" || needed.every((scope) => scopes.includes(scope));

/** True for an administrator. */
export const mayAll = ({ caller }: Member): boolean => caller.scopes === "all";
