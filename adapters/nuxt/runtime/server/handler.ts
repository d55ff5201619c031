import { formBackend } from "form-backend/nitro";
import backend from "#form-backend";
import { PEER } from "../../peer.ts";

/** In development this runs in a worker that is asked over a Unix socket, and the module says who asked the server. */
const inDevelopment: typeof backend = {
  ...backend,
  handle: (request, info) => backend.handle(request, { ...info, ip: info?.ip ?? request.headers.get(PEER) }),
};

export default formBackend(import.meta.dev ? inDevelopment : backend);
