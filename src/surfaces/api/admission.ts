import { limitCaller, limitFailures } from "../../core/http/limits.ts";
import type { Exchange } from "../../core/http/route.ts";
import { assertScopes, assertTeam, authenticate, authenticateBearer } from "../../features/keys/auth.ts";
import { callerOfKey } from "../../features/keys/service.ts";
import type { Caller, Scope } from "../../model/keys.ts";

/**
 * The caller by any credential of the management API: a key, an access token or the host's session. Throws the errors of
 * `authenticate`, and of a team that may not be used.
 */
export const callerOf = (exchange: Exchange): Promise<Caller> => inTeam(exchange, authenticate(exchange));

/** The caller by the header `Authorization` alone; access tokens may be for `audience` too. Throws the same. */
export const bearerOf = (exchange: Exchange, audience: string): Promise<Caller> =>
  inTeam(exchange, authenticateBearer(exchange, audience));

/** The caller by an API key that was sent in another place. Throws the same. */
export const holderOf = (exchange: Exchange, key: string): Promise<Caller> =>
  inTeam(
    exchange,
    limitFailures(exchange, () => callerOfKey(exchange.core, key)),
  );

async function inTeam({ core }: Exchange, authenticated: Promise<Caller>): Promise<Caller> {
  const caller = await authenticated;
  await assertTeam(core, caller);
  return caller;
}

/** Lets a caller in that has these scopes, and counts the request. Throws `insufficient_scope`, `rate_limited`. */
export async function admit(exchange: Exchange, caller: Caller, scopes: readonly Scope[]): Promise<Caller> {
  assertScopes(caller, scopes);
  await limitCaller(exchange, caller);
  return caller;
}
