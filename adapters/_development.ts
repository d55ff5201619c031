import type { IncomingMessage } from "node:http";
import type { FormBackend } from "../src/index.ts";

/** Set by nitropack in the worker of its development server, which is also Nuxt's. */
const WORKER = "NITRO_DEV_WORKER_ID";

/**
 * In such a worker, use a backend that responds only after the end of the body. The proxy passes the worker's `Connection:
 * close` on and then cuts off the rest of the body, so an early response would be lost.
 */
export function answeringLast(backend: FormBackend, req: IncomingMessage): Pick<FormBackend, "handle"> {
  if (process.env[WORKER] === undefined) return backend;
  return {
    async handle(request, info) {
      const response = await backend.handle(request, info);
      // The backend discards the rest, and stops waiting if it takes too long.
      if (!req.readableEnded && !req.destroyed) {
        await new Promise((resolve) => req.once("end", resolve).once("close", resolve).resume());
      }
      return response;
    },
  };
}
