import type { IncomingMessage, ServerResponse } from "node:http";
import type { FormBackend } from "../src/index.ts";
import { nodeHandler } from "./_node.ts";

/**
 * Mounts a backend in Express 4 or 5, or Connect. Put it before any body parser: parsed JSON and urlencoded bodies are put
 * together again, but a multipart body that something else has read is lost, and the post answered 500 `body_consumed`.
 * Errors outside the backend go to `next`.
 *
 * @example
 * app.use("/forms", formBackend(backend)); // with `baseUrl: "https://app.example.com/forms"`
 */
export function formBackend(
  backend: FormBackend,
): (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void {
  const handle = nodeHandler(backend);
  return (req, res, next) => {
    handle(req, res).catch(next);
  };
}
