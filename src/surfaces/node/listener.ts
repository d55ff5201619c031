import type { IncomingMessage, ServerResponse } from "node:http";
import type { FormBackend } from "../form-backend.ts";
import { nodeHandler } from "./bridge.ts";

/**
 * A listener for `node:http` and `node:https`. It responds to every path that it gets. If your server has other addresses, call
 * it only for those below the path of `baseUrl`.
 *
 * @example
 * createServer(formBackend(backend)).listen(3000);
 */
export function formBackend(backend: FormBackend): (req: IncomingMessage, res: ServerResponse) => void {
  const handle = nodeHandler(backend);
  return (req, res) => {
    handle(req, res).catch(() => {
      // The response could not be sent, so no error can be sent either.
      if (res.headersSent) res.destroy();
      else res.writeHead(500).end();
    });
  };
}
