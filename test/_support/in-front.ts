import { once } from "node:events";
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { atEndOfFile } from "./cleanup.ts";

/** Takes a request instead of passing it on; returns true if it did. */
export type Takes = (req: IncomingMessage, res: ServerResponse) => boolean;

/** A proxy on 127.0.0.1 as hosts have it: adds X-Forwarded-For and Via, and may answer itself. Ends with the test file. */
export async function startInFront(
  to: () => number | string,
  { takes = () => false, adds = {} }: { takes?: Takes; adds?: Record<string, string> } = {},
): Promise<{ readonly port: number; readonly origin: string }> {
  const server = createServer((req, res) => {
    if (takes(req, res)) return;
    const { method, url, headers } = req;
    const onward = forward(
      {
        host: "127.0.0.1",
        port: Number(to()),
        method,
        path: url,
        headers: { ...headers, "x-forwarded-for": "93.184.216.34" },
      },
      (answer) => {
        res.writeHead(answer.statusCode ?? 502, [
          ...answer.rawHeaders,
          "via",
          "1.1 proxy",
          ...Object.entries(adds).flat(),
        ]);
        answer.pipe(res);
      },
    );
    onward.on("error", () => res.headersSent || res.writeHead(502).end());
    req.pipe(onward);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEndOfFile(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: `http://127.0.0.1:${port}` };
}
