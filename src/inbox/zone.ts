import type { Zone } from "../api/zone.ts";
import { ApiError } from "../errors.ts";
import { toApiError } from "../http/envelope.ts";
import type { Exchange, RawRoute } from "../http/route.ts";
import { entryOf, strangerAnswer } from "./gate.ts";
import { isOwn } from "./origin.ts";
import { hasScopes } from "./roles.ts";
import { doorRows } from "./screens/door.ts";
import { errorScreen } from "./screens/error.ts";
import { type DoorRow, type InboxRow, rows } from "./table.ts";
import { doorOf, type House, visitOf } from "./visit.ts";

/** The addresses of an inbox. */
export function zoneOf(house: House): Zone {
  const { core, settings, assets } = house;
  return {
    basePath: core.options.basePath,
    prefixes: [settings.path],
    routes: [
      assets.route,
      ...doorRows.map((row) => doorRoute(house, row)),
      ...rows.filter(({ part }) => !part || !settings.hide.includes(part)).map((row) => memberRoute(house, row)),
    ],
    onError: (error, exchange) =>
      errorScreen(doorOf(house, exchange, {}), toApiError(error, exchange.requestId, core.options.logger)),
  };
}

/** Throws `cross_site_request`. Call it before you identify the user: a host's cookie proves nothing here. */
function assertOwn(exchange: Exchange): void {
  const { core, request } = exchange;
  if (request.method === "POST" && !isOwn(request, core.options.baseUrl)) throw new ApiError("cross_site_request");
}

const pathOf = ({ settings }: House, path: string): string => settings.path + (path === "/" ? "" : path);

const doorRoute = (house: House, { method, path, show }: DoorRow): RawRoute => ({
  method,
  path: pathOf(house, path),
  async handler(exchange, params) {
    assertOwn(exchange);
    return show(doorOf(house, exchange, params));
  },
});

const memberRoute = (house: House, { method, path, needs, right, show }: InboxRow): RawRoute => ({
  method,
  path: pathOf(house, path),
  async handler(exchange, params) {
    assertOwn(exchange);
    const door = doorOf(house, exchange, params);
    const entry = await entryOf(house, exchange);
    if (!entry) return strangerAnswer(door);
    const { member, cookie } = entry;
    if (cookie) exchange.extra["set-cookie"] = cookie;
    await house.core.limits.take("inbox", member.caller.id);
    if (!hasScopes(member.caller, needs)) throw new ApiError("insufficient_scope", { required: needs });
    if (right && !member.can.has(right)) throw new ApiError("insufficient_scope");
    return show(visitOf(door, member));
  },
});
