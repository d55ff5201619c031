import { formBackend } from "form-backend/nitro";
import backend from "#form-backend";
import { PEER } from "../../peer.ts";

// A copy, so the plugin reports the error if the file exports no backend.
const mounted: typeof backend = {
  ...backend,
  // In development this runs in a worker behind a Unix socket, and the module passes on the visitor's address.
  handle: (request, info) =>
    backend.handle(request, import.meta.dev ? { ...info, ip: info?.ip ?? request.headers.get(PEER) } : info),
};

export default formBackend(mounted);
