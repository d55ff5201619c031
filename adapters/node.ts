import type { IncomingMessage, ServerResponse } from "node:http";
import type { FormBackend } from "../src/index.ts";
import { nodeHandler } from "./_node.ts";

/**
 * A listener for `node:http` and `node:https`. It answers every path that it is given, so a server with addresses of its own
 * calls it only for those below the path of `baseUrl`.
 *
 * @example
 * createServer(formBackend(backend)).listen(3000);
 */
export function formBackend(backend: FormBackend): (req: IncomingMessage, res: ServerResponse) => void {
  const handle = nodeHandler(backend);
  return (req, res) => {
    handle(req, res).catch(() => {
      // The answer could not be sent, so there is nobody left to tell.
      if (res.headersSent) res.destroy();
      else res.writeHead(500).end();
    });
  };
}
