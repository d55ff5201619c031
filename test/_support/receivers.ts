import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

export interface Receiver {
  port: number;
  /** Connections accepted so far, and the most there were at one time. */
  seen: { connections: number; atOnce: number };
  close(): Promise<void>;
}

/** A TCP server that does whatever `onSocket` does. */
export function tcpReceiver(
  onSocket: (socket: Socket, connection: number) => void,
  host = "127.0.0.1",
  port = 0,
): Promise<Receiver> {
  const seen = { connections: 0, atOnce: 0 };
  return started(createServer(), host, seen, (socket) => onSocket(socket, seen.connections), port);
}

/** A TLS server. */
export function tlsReceiver(options: TlsOptions, onSocket: (socket: Socket) => void): Promise<Receiver> {
  const server = createTlsServer(options);
  server.on("tlsClientError", () => {});
  server.on("secureConnection", (socket) => {
    socket.on("error", () => {});
    onSocket(socket);
  });
  return started(server, "127.0.0.1", { connections: 0, atOnce: 0 }, () => {});
}

/** An HTTP server. */
export function httpReceiver(listener: RequestListener, host = "127.0.0.1"): Promise<Receiver> {
  return started(createHttpServer(listener), host, { connections: 0, atOnce: 0 }, () => {});
}

async function started(
  server: Server,
  host: string,
  seen: Receiver["seen"],
  onSocket: (socket: Socket) => void,
  port = 0,
): Promise<Receiver> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    seen.connections += 1;
    seen.atOnce = Math.max(seen.atOnce, open.size);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    onSocket(socket);
  });
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const { port, close } = await tcpReceiver(() => {});
  await close();
  return port;
}

/** Writes `text` as soon as the request's first bytes are there, so that an answer never comes before its question. */
export function afterRequest(socket: Socket, run: () => void): void {
  socket.once("data", run);
}

/** Writes the same text again and again, as fast as the other side reads. `sent` tells how many bytes were taken. */
export function flood(socket: Socket, text: string): { sent: () => number } {
  const piece = Buffer.from(text.repeat(Math.max(1, 65_536 / text.length)));
  let sent = 0;
  const more = () => {
    while (!socket.destroyed && socket.write(piece)) sent += piece.length;
  };
  socket.on("drain", more);
  more();
  return { sent: () => sent };
}
