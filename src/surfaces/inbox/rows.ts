import type { InboxRight, Scope } from "../../model/keys.ts";
import type { Method } from "../api/kernel.ts";
import type { MemberRequest, PublicRequest } from "./visit.ts";

/** A page or an act of the inbox. */
export interface InboxRow {
  readonly method: Extract<Method, "GET" | "POST">;
  /** Below the inbox. */
  readonly path: string;
  /** The name by which the option `hide` knows it. */
  readonly part?: string;
  /** Scopes that are all needed. */
  readonly needs: readonly Scope[];
  readonly right?: InboxRight;
  /** For those who may do everything. */
  readonly admin?: true;
  /** About teams: not for somebody who sees only some of their forms. */
  readonly whole?: true;
  /** For operators of the host, who see every team. */
  readonly operator?: true;
  readonly show: (visit: MemberRequest) => Promise<Response> | Response;
}

/** A page for somebody who is not signed in. */
export interface PublicRow {
  readonly method: Extract<Method, "GET" | "POST">;
  readonly path: string;
  readonly show: (door: PublicRequest) => Promise<Response> | Response;
}
