import type { Socket } from "node:net";
import type { ReadableStream } from "node:stream/web";
import { nodeRequest } from "./body.ts";

/** How long a sender may go on with a body that has already been answered. */
const LINGER_MS = 30_000;

/**
 * Throws away what an answer left unread of its request's body, for at most 30 s; call it when the answer is known.
 *
 * A refusal such as 413 leaves while the client still sends. If the body stayed unread, the next request on the connection
 * would wait for ever behind it; if the connection were closed, the client would find it reset and never see the answer.
 * So the rest is read on, and a connection that ends with the answer is closed in stages (RFC 9112, 9.6).
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

/** The same for a host that shows only the web stream of a body. Rejects where somebody else is reading it. */
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

/** Makes the server's close after the last answer a FIN that still reads, until the function it answers is called. */
function halfClose(socket: Socket): () => void {
  let asked = false;
  // Node's HTTP server ends a connection by this method alone; on the instance it hides the prototype's.
  socket.destroySoon = () => {
    asked = true;
    socket.end();
  };
  return () => {
    Reflect.deleteProperty(socket, "destroySoon");
    if (asked) socket.destroySoon();
  };
}
