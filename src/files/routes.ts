import { ApiError } from "../errors.ts";
import { limitAddress } from "../http/limits.ts";
import type { RawRoute } from "../http/route.ts";
import { isLive } from "./links.ts";
import { contentDisposition } from "./name.ts";
import { openFile } from "./store.ts";

/**
 * Visitors' files, by signed link. Expired, forged and unknown links all get the same 404, which reveals nothing about any
 * file.
 */
export const fileRoute: RawRoute = {
  method: "GET",
  path: "/files/:id(file_\\w+)/:name",
  async handler(exchange, params) {
    const { core, url } = exchange;
    await limitAddress(exchange);
    const { id = "", name = "" } = params;
    const file = isLive(core, id, name, url) ? await openFile(core, id) : null;
    if (!file) throw new ApiError("not_found");
    return new Response(file.body, {
      headers: {
        "content-type": file.record.mime_type,
        // 0 in records that do not know it: no image and no file is empty.
        ...(file.record.size > 0 && { "content-length": String(file.record.size) }),
        "content-disposition": contentDisposition(file.record.name),
        "cache-control": "private",
        // If a browser shows it anyway: it may neither run nor load anything, and has an origin of its own.
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
      },
    });
  },
};
