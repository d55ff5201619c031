import type { Core } from "../../core/core.ts";
import { limitFailures } from "../../core/http/limits.ts";
import type { Exchange } from "../../core/http/route.ts";
import type { Options } from "../../core/options/types.ts";
import { ApiError } from "../../errors.ts";
import { type Caller, HostCaller, type Scope, SEES } from "../../model/keys.ts";
import { assertUsable, cachedTeam } from "../teams/service.ts";
import { isCrossSite } from "./cross-site.ts";
import { tokenVerifierOf } from "./oauth.ts";
import { callerOfKey } from "./service.ts";
import { looksLikeKey } from "./token.ts";

/**
 * The caller of a v1 request: an API key or an access token in `Authorization`; without that header, the host's `authenticate`
 * decides. Throws `missing_bearer`, `invalid_key`, `wrong_audience`, `cross_site_request`, `rate_limited`.
 */
export async function authenticate(exchange: Exchange): Promise<Caller> {
  const { core, request } = exchange;
  if (!request.headers.has("authorization")) {
    const { authenticate: ask } = core.options;
    if (!ask) return authenticateBearer(exchange);
    // A wrong session counts like a wrong key, or sessions could be guessed at any rate.
    const caller = await limitFailures(exchange, () => hostCaller(ask, request));
    if (isCrossSite(request, core.options)) throw new ApiError("cross_site_request");
    return caller;
  }
  const caller = await authenticateBearer(exchange);
  return request.headers.get(SEES) === "agents" ? { ...caller, sees: "agents" } : caller;
}

/**
 * The same by the header `Authorization` alone, whatever session the host knows. `audience` is one more that access tokens may
 * be for. Throws `missing_bearer`, `invalid_key`, `wrong_audience`, `rate_limited`.
 */
export async function authenticateBearer(exchange: Exchange, audience?: string): Promise<Caller> {
  const { core, request } = exchange;
  const header = request.headers.get("authorization");
  if (header === null) throw noBearer(request.headers.has("x-api-key") ? "`X-API-Key` is not read" : undefined);
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1];
  if (!token) throw noBearer("`Authorization` has another form");
  return limitFailures(exchange, () => callerOf(core, token, audience));
}

const noBearer = (fault: string | undefined): ApiError =>
  new ApiError(
    "missing_bearer",
    fault === undefined ? {} : { message: `${fault}: send the key as \`Authorization: Bearer <token>\`.` },
  );

/** Text without the form of a key is an access token, if OAuth is configured. */
function callerOf(core: Core, token: string, audience: string | undefined): Promise<Caller> {
  const isKey = looksLikeKey(core.options.brand.keyPrefix, token);
  const verifier = tokenVerifierOf(core);
  return verifier && !isKey ? verifier.callerOf(token, audience) : callerOfKey(core, token);
}

/** A credential of one team is refused with its team; one of several teams is checked when a form is named. */
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

async function hostCaller(ask: NonNullable<Options["authenticate"]>, request: Request): Promise<Caller> {
  const answer = (await ask(request)) ?? null;
  if (answer === null) throw new ApiError("missing_bearer");
  const parsed = HostCaller.safeParse(answer);
  if (parsed.success) return parsed.data;
  const at = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new TypeError(
    `[form-backend] option \`authenticate\` returned a caller whose \`${at}\` is wrong: ${parsed.error.issues[0]?.message}`,
  );
}
