import { addressKey, addressOf } from "../../core/http/limits.ts";
import { opened } from "../../core/http/opened.ts";
import type { RawRoute } from "../../core/http/route.ts";
import type { Row } from "../../core/rows.ts";
import { ApiError } from "../../errors.ts";
import { endpointOf } from "../forms/view.ts";
import { type Seen, see } from "../statistics/seen.ts";
import { publicFailure } from "./http/failure.ts";
import { assertOrigin, corsHeaders } from "./origin.ts";

/** Reports of pages about a form: that it was seen, and that somebody started it. */
export const beaconRoutes: readonly RawRoute[] = [beacon("view", "views"), beacon("start", "starts")];

/** Takes any body, which is not read: `sendBeacon` has to send something. No address is kept. */
function beacon(name: string, what: Seen): RawRoute {
  return {
    method: "POST",
    path: `/f/:form_id/${name}`,
    unopened: true,
    async handler(exchange, { form_id = "", asked = endpointOf(exchange.core, form_id) }) {
      const { core, request, info } = exchange;
      let form: Row<"forms"> | null = null;
      let response: Response;
      try {
        await opened(exchange);
        const address = addressKey(addressOf(exchange));
        if (address !== null) await core.limits.take("beacons", address);
        form = await core.rows.cached("forms", form_id);
        if (!form) throw new ApiError("form_not_found");
        assertOrigin(form.value.allowed_origins, request.headers, asked);
        if (form.value.active && !form.value.locked && form.value.settings.statistics.enabled) {
          const written = see(core, form_id, what);
          // A frozen process keeps no timer.
          info.waitUntil?.(written);
        }
        response = new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
      } catch (thrown) {
        response = publicFailure(thrown, exchange, form?.value ?? null, true);
      }
      const cors = corsHeaders(form?.value.allowed_origins ?? [], request.headers);
      for (const [header, value] of Object.entries(cors)) response.headers.append(header, value);
      return response;
    },
  };
}
