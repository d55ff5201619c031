import { limitAddress } from "../../core/http/limits.ts";
import type { Exchange, RawRoute } from "../../core/http/route.ts";
import { ApiError } from "../../errors.ts";
import { servedTo } from "../../features/teams/face.ts";
import { isUnknownHost, mayBeTeamHost, teamAt } from "../../features/teams/hosts.ts";
import { cachedTeam } from "../../features/teams/service.ts";
import { canParseUrl } from "../../lib/can-parse-url.ts";

/**
 * Serves a team's own host: a request there reaches the visitors' addresses of this team's forms, and nothing else. Takes the
 * routes that visitors may use. Throws `not_found` for any other address, and `too_many_requests`.
 */
export function ownHosts(routes: readonly RawRoute[]): (exchange: Exchange) => Promise<Exchange> {
  const names = new Set(routes.map(({ path }) => path.split("/")[1]));
  return async (exchange) => {
    const { core, url } = exchange;
    const host = hostOf(exchange);
    if (!mayBeTeamHost(core, host)) return exchange;
    // A store that can't be opened is told by the route itself, in the shape of its address.
    const isOpen = await exchange.ready().then(
      () => true,
      () => false,
    );
    if (!isOpen) return exchange;
    // Somebody who makes up names would read the store with each of them.
    if (isUnknownHost(core, host)) await limitAddress(exchange);
    const team_id = await teamAt(core, host).catch(() => null);
    if (team_id === null) return exchange;
    const { basePath } = core.options;
    const path =
      basePath !== "" && url.pathname.startsWith(`${basePath}/`) ? url.pathname.slice(basePath.length) : url.pathname;
    const team = await cachedTeam(core, team_id);
    if (!team || !names.has(path.split("/")[1])) throw new ApiError("not_found");
    return { ...exchange, core: servedTo(core, team_id, team.value) };
  };
}

/** The host that a browser asked for, with its port if that is not the usual one. */
function hostOf({ core, request, url }: Exchange): string {
  const forwarded = core.options.trustProxy ? request.headers.get("x-forwarded-host")?.split(",", 1)[0]?.trim() : null;
  const asked = forwarded ? `https://${forwarded}` : url.href;
  return canParseUrl(asked) ? new URL(asked).host : url.host;
}
