import { z } from "zod";
import { limitAddress } from "../../core/http/limits.ts";
import { route } from "../../core/http/route.ts";
import { ApiError, wrongParameter } from "../../errors.ts";
import { hostAllowed } from "../../features/teams/hosts.ts";

/** Proxies ask once for each new name, and may keep the answer this long. */
const FRESH = "public, max-age=60";

export const TlsAllowed = z
  .object({
    /** The host name that was asked for. */
    domain: z.string(),
    allowed: z.literal(true).describe("True; any other name is 404."),
  })
  .meta({ id: "TlsAllowed" });

export const tlsRoutes = {
  tlsAllowed: route({
    method: "GET",
    path: "/v1/tls-allowed",
    summary: "Check that a certificate may be requested for a host name",
    tag: "Service",
    scopes: null,
    query: z.strictObject({
      /** The host name for which a proxy needs a certificate. */
      domain: z.string().max(253).default(""),
    }),
    response: TlsAllowed,
    errors: ["not_found", "rate_limited"],
    handler: async ({ core, query: { domain }, headers, http }) => {
      if (domain === "") throw wrongParameter("domain", "must be the host name that a certificate is for");
      if (http) await limitAddress(http);
      if (!(await hostAllowed(core, domain)))
        throw new ApiError("not_found", {
          headers: { "cache-control": FRESH },
          message: `"${domain}" is no host of this service.`,
        });
      headers["cache-control"] = FRESH;
      return { domain, allowed: true as const };
    },
  }),
};
