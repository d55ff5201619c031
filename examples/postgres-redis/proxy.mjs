// @ts-check
// A load balancer in thirty lines: in turn, and to the next one where nobody listens. Use nginx, HAProxy or your provider's.
import { createServer, request } from "node:http";
import { pipeline } from "node:stream";

/** @param {readonly number[]} ports */
export function createProxy(ports) {
  let turn = 0;
  return createServer((req, res) => {
    const order = ports.map((_, i) => ports[(turn + i) % ports.length]);
    turn++;
    forward(order);

    /** @param {(number | undefined)[]} left */
    function forward([port, ...others]) {
      const { remoteAddress = "" } = req.socket;
      const headers = { ...req.headers, "x-forwarded-for": remoteAddress };
      const onward = request({ host: "127.0.0.1", port, method: req.method, path: req.url, headers });
      onward.on("response", (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, res, () => {});
      });
      onward.on("error", (error) => {
        // Refused: nothing of it was read yet, so that another one can have it. Anything later may have been acted upon.
        const refused = "code" in error && error.code === "ECONNREFUSED";
        if (refused && others.length > 0) forward(others);
        else if (res.headersSent) res.destroy();
        else res.writeHead(502, { "retry-after": "1" }).end();
      });
      onward.on("socket", (socket) => {
        const send = () => pipeline(req, onward, () => {});
        if (socket.connecting) socket.once("connect", send);
        else send();
      });
    }
  });
}
