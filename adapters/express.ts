import type { IncomingMessage, ServerResponse } from "node:http";
import type { FormBackend } from "../src/index.ts";
import { nodeHandler, pathsOf } from "../src/surfaces/node/bridge.ts";

/**
 * Mounts a backend in Express 4 or 5, or Connect. Put it before any body parser: parsed JSON and urlencoded bodies are rebuilt,
 * but a multipart body that something else has read is lost, and the post gets 500 `body_consumed`. Errors outside the backend
 * go to `next`. So do requests outside the path of `baseUrl`, if you mount it without a path.
 *
 * @example
 * app.use("/forms", formBackend(backend)); // with `baseUrl: "https://app.example.com/forms"`
 */
export function formBackend(
  backend: FormBackend,
): (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void {
  const handle = nodeHandler(backend);
  const isOurs = pathsOf(backend);
  return (req, res, next) => {
    const { url = "/", originalUrl = url } = req as { url?: string; originalUrl?: string };
    // Mounted without a path, it sees the whole site, so it must leave other addresses alone.
    if (originalUrl === url && !isOurs(url)) return next();
    handle(req, res).catch(next);
  };
}
