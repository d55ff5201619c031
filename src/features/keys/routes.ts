import { resourceMetadata, resourceMetadataPath } from "../../core/http/protected-resource.ts";
import { type RawRoute, route } from "../../core/http/route.ts";
import { ApiError } from "../../errors.ts";
import { jsonResponse } from "../../lib/response.ts";
import { Me } from "../../model/me.ts";
import { describeCaller } from "./me.ts";

export const keyRoutes = {
  me: route({
    method: "GET",
    path: "/v1/me",
    summary: "Verify a key",
    tag: "Credentials",
    scopes: [],
    response: Me,
    errors: [],
    handler: ({ core, caller }) => describeCaller(core, caller),
  }),
};

/** Tells OAuth clients which authorization server to use; not found if OAuth is not configured. */
export const resourceRoute: RawRoute = {
  method: "GET",
  path: resourceMetadataPath,
  async handler({ core }) {
    const metadata = resourceMetadata(core.options);
    if (!metadata) throw new ApiError("not_found");
    return jsonResponse(metadata, 200, { "access-control-allow-origin": "*", "cache-control": "public, max-age=3600" });
  },
};
