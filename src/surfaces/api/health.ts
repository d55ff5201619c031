import { z } from "zod";
import type { Core } from "../../core/core.ts";
import { faultText } from "../../core/fault-text.ts";
import { route } from "../../core/http/route.ts";
import { perBackend } from "../../core/per-backend.ts";
import { ApiError } from "../../errors.ts";
import { iso } from "../../lib/clock.ts";
import { inTime } from "../../lib/in-time.ts";
import { jsonResponse } from "../../lib/response.ts";
import { Timestamp } from "../../lib/wire.ts";

/** A store that takes longer over one small read is of no use to a form. */
const LIMIT_MS = 2_000;

/** The state of the service. */
export const Health = z
  .object({
    /** `ok` while the store can be reached. */
    status: z.enum(["ok", "unavailable"]),
    /** The backend's time. */
    time: Timestamp,
    failing: z
      .array(z.enum(["storage", "service"]))
      .optional()
      .describe("`service` if it is shutting down."),
  })
  .meta({ id: "Health" });
export type Health = z.infer<typeof Health>;

export const healthRoutes = {
  health: route({
    method: "GET",
    path: "/v1/health",
    call: "health",
    summary: "Check that the service is up",
    tag: "Service",
    scopes: null,
    unopened: true,
    response: Health,
    otherStatuses: [503],
    errors: [],
    handler: async ({ core, http }) => {
      const health = await checkHealth(core, http?.ready ?? (async () => {}), http?.requestId ?? "health", FRESH_MS);
      return health.status === "ok" ? health : jsonResponse(health, 503, { "retry-after": "5" });
    },
  }),
};

/** Anyone may request it over HTTP, without a credential or a rate limit, so a successful check of the store is kept this long. */
const FRESH_MS = 1_000;

/** One small read, shared by all simultaneous callers. Only success is cached, for `freshMs`. */
const probeOf = perBackend(({ storage, clock }) => {
  let running: Promise<unknown> | undefined;
  let good = Number.NEGATIVE_INFINITY;
  return async (freshMs: number) => {
    const age = clock.now() - good;
    if (age >= 0 && age < freshMs) return;
    running ??= inTime(LIMIT_MS, async () => storage.get("teams", ["health"]))
      .then(() => {
        good = clock.now();
      })
      .finally(() => {
        running = undefined;
      });
    await running;
  };
});

/** Checks the service. The reason of a failure is only in the log, where `who` names the caller. `freshMs` is the greatest age of an earlier success that counts. */
export async function checkHealth(core: Core, ready: () => Promise<void>, who: string, freshMs = 0): Promise<Health> {
  const failing = await failingPart(core, ready, who, freshMs);
  const time = iso(core.clock.now());
  return failing === null ? { status: "ok", time } : { status: "unavailable", time, failing: [failing] };
}

/** The part that does not work; `service` while this process shuts down. */
async function failingPart(
  core: Core,
  ready: () => Promise<void>,
  who: string,
  freshMs: number,
): Promise<"storage" | "service" | null> {
  try {
    await inTime(LIMIT_MS, async () => {
      await ready();
      await probeOf(core)(freshMs);
    });
    return null;
  } catch (error) {
    // An outage of the store has its cause with it; a refusal of our own, such as closing, has none.
    if (error instanceof ApiError && error.cause === undefined) return "service";
    const cause = error instanceof ApiError ? error.cause : error;
    const detail = faultText(cause);
    core.options.logger.error(`${who}: storage ${core.storage.name} failed its health check: ${detail}`);
    return "storage";
  }
}
