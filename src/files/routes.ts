import { ApiError } from "../errors.ts";
import type { RawRoute } from "../http/route.ts";
import { isLive } from "./links.ts";
import { contentDisposition } from "./name.ts";
import { openFile } from "./store.ts";

/** Visitors' files, by signed link. A link that has expired, was forged or leads nowhere is the same 404: nothing is told of any file. */
export const fileRoute: RawRoute = {
  method: "GET",
  path: "/files/:id(file_\\w+)/:name",
  async handler({ core, url }, params) {
    const { id = "", name = "" } = params;
    const file = isLive(core, id, name, url) ? await openFile(core, id) : null;
    if (!file) throw new ApiError("not_found");
    return new Response(file.body, {
      headers: {
        "content-type": file.record.mime_type,
        "content-length": String(file.record.size),
        "content-disposition": contentDisposition(file.record.name),
        "cache-control": "private",
        // For a browser that shows it all the same: it may neither run nor load anything, and has an origin of its own.
        "content-security-policy": "default-src 'none'; sandbox",
        "cross-origin-resource-policy": "same-origin",
        "x-content-type-options": "nosniff",
      },
    });
  },
};
