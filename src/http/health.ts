import { z } from "zod";
import { ApiError } from "../errors.ts";
import { iso } from "../lib/clock.ts";
import { inTime } from "../lib/in-time.ts";
import { jsonResponse } from "../lib/response.ts";
import { Timestamp } from "../lib/wire.ts";
import { type Exchange, route } from "./route.ts";

/** A store that takes longer over one small read is of no use to a form. */
const LIMIT_MS = 2_000;

const Health = z
  .object({
    status: z.enum(["ok", "unavailable"]),
    time: Timestamp,
    failing: z
      .array(z.enum(["storage", "service"]))
      .optional()
      .describe("`service` while it shuts down."),
  })
  .meta({ id: "Health" });

export const healthRoutes = {
  health: route({
    method: "GET",
    path: "/v1/health",
    summary: "Check that the service is up",
    tag: "Service",
    scopes: null,
    unopened: true,
    response: Health,
    otherStatuses: [503],
    errors: [],
    handler: async (exchange) => {
      const failing = await failingPart(exchange);
      const time = iso(exchange.core.clock.now());
      if (failing === null) return { status: "ok" as const, time };
      return jsonResponse({ status: "unavailable", time, failing: [failing] }, 503, { "retry-after": "5" });
    },
  }),
};

/** What does not work; `service` while this process shuts down. The reason is for the log alone. */
async function failingPart({ core, ready, requestId }: Exchange): Promise<"storage" | "service" | null> {
  try {
    await inTime(LIMIT_MS, async () => {
      await ready();
      await core.storage.get("teams", ["health"]);
    });
    return null;
  } catch (error) {
    // An outage of the store has its cause with it; a refusal of our own, such as closing, has none.
    if (error instanceof ApiError && error.cause === undefined) return "service";
    const cause = error instanceof ApiError ? error.cause : error;
    const detail = cause instanceof Error ? cause.message : String(cause);
    core.options.logger.error(`${requestId}: storage ${core.storage.name} failed its health check: ${detail}`);
    return "storage";
  }
}
