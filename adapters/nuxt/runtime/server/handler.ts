import { formBackend } from "form-backend/nitro";
import backend from "#form-backend";
import { PEER } from "../../peer.ts";

// A copy, so that it is the plugin that says what to change where the file exports no backend.
const mounted: typeof backend = {
  ...backend,
  // In development this runs in a worker that is asked over a Unix socket, and the module says who asked the server.
  handle: (request, info) =>
    backend.handle(request, import.meta.dev ? { ...info, ip: info?.ip ?? request.headers.get(PEER) } : info),
};

export default formBackend(mounted);
