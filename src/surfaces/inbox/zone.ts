import { ApiError } from "../../errors.ts";
import { type Exchange, type RawRoute, toApiError } from "../api/kernel.ts";
import type { Zone } from "../api/zone.ts";
import { redirect } from "./answer.ts";
import { entryOf, isFramed, strangerAnswer } from "./gate.ts";
import type { MountedInbox } from "./mounted.ts";
import { isOwn } from "./origin.ts";
import { hasScopes, mayAll } from "./roles.ts";
import type { InboxRow, PublicRow } from "./rows.ts";
import { errorScreen } from "./screens/error.ts";
import { publicRows } from "./screens/sign-in.ts";
import { rows } from "./table.ts";
import { memberRequestOf, publicRequestOf, remember } from "./visit.ts";

/** The addresses of an inbox. */
export function zoneOf(mounted: MountedInbox): Zone {
  const { core, settings, assets } = mounted;
  return {
    basePath: core.options.basePath,
    prefixes: [settings.path],
    routes: [
      assets.route,
      ...publicRows.map((row) => publicRoute(mounted, row)),
      ...rows.filter(({ part }) => !part || !settings.hide.includes(part)).map((row) => memberRoute(mounted, row)),
    ],
    onError: async (error, exchange) =>
      errorScreen(
        await publicRequestOf(mounted, exchange, {}),
        toApiError(error, exchange.requestId, core.options.logger),
      ),
  };
}

/** Throws `cross_site_request`. Call it before you identify the user: a host's cookie proves nothing here. */
function assertOwn(exchange: Exchange): void {
  const { core, request } = exchange;
  if (request.method === "POST" && !isOwn(request, core.options.baseUrl)) throw new ApiError("cross_site_request");
}

const pathOf = ({ settings }: MountedInbox, path: string): string => settings.path + (path === "/" ? "" : path);

const publicRoute = (mounted: MountedInbox, { method, path, show }: PublicRow): RawRoute => ({
  method,
  path: pathOf(mounted, path),
  async handler(exchange, params) {
    assertOwn(exchange);
    return show(await publicRequestOf(mounted, exchange, params));
  },
});

const memberRoute = (
  mounted: MountedInbox,
  { method, path, part, needs, right, admin, whole, operator, show }: InboxRow,
): RawRoute => ({
  method,
  path: pathOf(mounted, path),
  async handler(exchange, params) {
    assertOwn(exchange);
    const door = await publicRequestOf(mounted, exchange, params);
    const entry = await entryOf(mounted, exchange);
    if (!entry) return strangerAnswer(door);
    const { member, cookie } = entry;
    remember(exchange, member);
    await mounted.core.limits.take("inbox", member.caller.id);
    await exchange.share.take(member.caller.team_ids?.[0] ?? member.caller.id);
    // Nobody else learns that there are such pages.
    if (operator && !member.operator) throw new ApiError("not_found");
    if (path === "/" && member.operator?.entered === null) return redirect(mounted.settings, door.to("/operator"));
    if (!hasScopes(member.caller, needs)) throw new ApiError("insufficient_scope", { required: needs });
    if (right && !member.can.has(right)) throw new ApiError("insufficient_scope");
    if (admin && !mayAll(member)) throw new ApiError("insufficient_scope");
    if (whole && member.caller.form_ids) throw new ApiError("form_access_restricted");
    const visit = await memberRequestOf(door, member, entry.session?.embed ?? isFramed(exchange.request));
    if (part && !visit.shows(part)) throw new ApiError("not_found");
    try {
      const response = await show(visit);
      if (cookie) response.headers.append("set-cookie", cookie);
      return response;
    } finally {
      await visit.settled();
    }
  },
});
