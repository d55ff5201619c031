import type { Socket } from "node:net";
import type { ReadableStream } from "node:stream/web";
import { nodeRequest } from "./body.ts";

/** Time that a sender may continue with a body after its response. */
const LINGER_MS = 30_000;

/**
 * Discards the unread rest of a request's body, for at most 30 s; call it when the response is known.
 *
 * A refusal such as 413 is sent while the client is still sending. If the rest stayed unread, the next request on the
 * connection would wait forever; if the connection were closed, the client would see a reset and never the response. So the
 * rest is read, and a connection that closes with the response is closed in stages (RFC 9112, 9.6).
 */
export function discardRest(request: Request): void {
  const stream = nodeRequest(request);
  if (!stream) return void discardWeb(request).catch(() => {});
  if (stream.readableEnded || stream.destroyed) return;
  stream.resume();
  if (stream.complete) return;
  const release = stream.httpVersionMajor === 1 ? halfClose(stream.socket) : () => {};
  const timer = setTimeout(() => {
    if (!stream.complete) stream.destroy();
  }, LINGER_MS).unref();
  const done = (): void => {
    clearTimeout(timer);
    stream.off("end", done).off("close", done);
    release();
  };
  stream.on("end", done).on("close", done);
}

/** The same for a host that offers only the web stream of a body. Rejects if someone else reads it. */
async function discardWeb(request: Request): Promise<void> {
  if (request.method === "GET" || request.method === "HEAD") return;
  const reader = (request.body as ReadableStream<Uint8Array> | null)?.getReader();
  if (!reader) return;
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), LINGER_MS).unref();
  try {
    while (!(await reader.read()).done);
  } finally {
    clearTimeout(timer);
  }
}

/** Makes the server's close after the last response a FIN that still reads, until you call the returned function. */
function halfClose(socket: Socket): () => void {
  let asked = false;
  // Node's HTTP server closes a connection only by this method; on the instance it hides the prototype's.
  socket.destroySoon = () => {
    asked = true;
    socket.end();
  };
  return () => {
    Reflect.deleteProperty(socket, "destroySoon");
    if (asked) socket.destroySoon();
  };
}
