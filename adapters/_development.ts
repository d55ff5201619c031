import type { IncomingMessage } from "node:http";
import type { FormBackend } from "../src/index.ts";

/** Set by nitropack in the worker of its development server, which is also Nuxt's. */
const WORKER = "NITRO_DEV_WORKER_ID";

/**
 * In such a worker, a backend whose answer waits for the end of the body. The proxy in front passes a `Connection: close`
 * of the worker on and then breaks off what still arrives, so that an early answer would be lost.
 */
export function answeringLast(backend: FormBackend, req: IncomingMessage): Pick<FormBackend, "handle"> {
  if (process.env[WORKER] === undefined) return backend;
  return {
    async handle(request, info) {
      const response = await backend.handle(request, info);
      // The rest is discarded by the backend, which also ends one that takes too long.
      if (!req.readableEnded && !req.destroyed) {
        await new Promise((resolve) => req.once("end", resolve).once("close", resolve).resume());
      }
      return response;
    },
  };
}
