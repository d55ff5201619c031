import type { Core } from "../core.ts";
import { ApiError } from "../errors.ts";
import type { Caller, Scope } from "../keys/schema.ts";
import { callerOfKey } from "../keys/service.ts";
import { looksLikeKey } from "../keys/token.ts";
import { HostCaller } from "../options.ts";
import { assertUsable, cachedTeam } from "../teams/service.ts";
import { limitFailures } from "./limits.ts";
import type { Exchange } from "./route.ts";

/**
 * The caller of a v1 request: an API key or an access token in `Authorization`; only without that header the host is asked.
 * Throws `missing_bearer`, `invalid_key`, `wrong_audience`, `rate_limited`.
 */
export async function authenticate(exchange: Exchange): Promise<Caller> {
  const { core, request } = exchange;
  const header = request.headers.get("authorization");
  if (header === null) {
    const caller = await hostCaller(core, request);
    if (caller) return caller;
    throw new ApiError("missing_bearer");
  }
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (!token) throw new ApiError("missing_bearer");
  return limitFailures(exchange, () => callerOf(core, token));
}

/** What has not the form of a key is an access token, where those are taken. */
function callerOf(core: Core, token: string): Promise<Caller> {
  const isKey = looksLikeKey(core.options.brand.keyPrefix, token);
  return core.oauth && !isKey ? core.oauth.callerOf(token) : callerOfKey(core, token);
}

/** A credential of one team stands and falls with it; one of several teams is judged where a form is named. */
export async function assertTeam(core: Core, caller: Caller): Promise<void> {
  const [only] = caller.team_ids ?? [];
  if (caller.team_ids?.length !== 1 || only === undefined) return;
  const team = await cachedTeam(core, only);
  if (!team) throw new ApiError("invalid_key");
  assertUsable(team.value);
}

/** Throws `insufficient_scope` with the names of all scopes that the operation needs. */
export function assertScopes(caller: Caller, required: readonly Scope[]): void {
  if (caller.scopes === "all") return;
  const missing = required.filter((scope) => !caller.scopes.includes(scope));
  if (missing.length > 0) {
    throw new ApiError("insufficient_scope", {
      required: missing,
      message: `The credential lacks the scope ${missing.join(", ")}.`,
    });
  }
}

async function hostCaller(core: Core, request: Request): Promise<Caller | null> {
  const answer = (await core.options.authenticate?.(request)) ?? null;
  if (answer === null) return null;
  const parsed = HostCaller.safeParse(answer);
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new TypeError(
    `[form-backend] option \`authenticate\` answered a caller whose \`${at}\` is wrong: ${parsed.error.issues[0]?.message}`,
  );
}
