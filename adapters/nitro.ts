import type { IncomingMessage, ServerResponse } from "node:http";
import type { FormBackend, HostInfo } from "../src/index.ts";
import { checked, connection, nodeHandler } from "../src/surfaces/node/bridge.ts";
import { answeringLast } from "./_development.ts";

/** The part of an event that is used: Nitro 3 gives a web request as `req`, nitropack 2 Node's own under `node`. */
export interface NitroEvent {
  readonly req?: unknown;
  readonly node?: { readonly req: unknown; readonly res?: unknown } | undefined;
  readonly waitUntil?: (promise: Promise<unknown>) => unknown;
}

/**
 * An event handler for Nitro 3, nitropack 2 and h3 of either, for a route that catches everything below the path of `baseUrl`.
 *
 * @example
 * // server/routes/forms/[...].ts, with `baseUrl: "https://app.example.com/forms"`
 * export default formBackend(backend);
 */
export function formBackend(backend: FormBackend): (event: NitroEvent) => Promise<Response | undefined> {
  checked(backend);
  const handler = async (event: NitroEvent): Promise<Response | undefined> => {
    if (isWebRequest(event.req)) return backend.handle(event.req, event.req);
    if (!event.node) throw new TypeError("[form-backend] this event has neither a web request nor a Node request");
    const { req, res } = event.node as { req: IncomingMessage & { [READ]?: unknown }; res: ServerResponse };
    const waitUntil = event.waitUntil && ((promise: Promise<unknown>) => event.waitUntil?.(promise));
    if (req[READ]) Object.assign(req, { rawBody: await req[READ] });
    await nodeHandler(answeringLast(backend, req))(req, res, { ...connection(req), waitUntil });
    return undefined;
  };
  // h3 1 warns of handlers without its mark.
  return Object.assign(handler, { __is_handler__: true });
}

/** h3 1 keeps the bytes of a body here once the host's own middleware reads it. */
const READ = Symbol.for("h3RawBody");
/** h3 1 has a `req` too: Node's, with a plain object as headers. */
const isWebRequest = (req: unknown): req is Request & HostInfo =>
  typeof (req as Request | undefined)?.headers?.get === "function";
