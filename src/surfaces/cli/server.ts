import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Failure } from "./failure.ts";

/** A server that listens and does not respond yet. */
export interface Listening {
  readonly port: number;
  /** Answers from now on; requests that came before have waited. */
  answer(listener: RequestListener): void;
  /** Accepts no more connections. */
  refuse(): void;
  /** Cuts those that are left. */
  cut(): void;
}

/** Listens, on a free port if it is 0. Throws `Failure` if the port is taken. */
export async function listen(port: number, host: string | undefined): Promise<Listening> {
  let resolve: (listener: RequestListener) => void = () => {};
  const listener = new Promise<RequestListener>((answer) => {
    resolve = answer;
  });
  let ready: RequestListener | undefined;
  const server: Server = createServer((req, res) => {
    if (ready) return ready(req, res);
    listener.then((own) => own(req, res)).catch(() => res.destroy());
  });
  server.listen(port, host);
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EADDRINUSE") throw new Failure(`Port ${port} is taken. Choose another one with --port.`);
    if (error.code === "EACCES") throw new Failure(`Port ${port} is not allowed. Choose one above 1023 with --port.`);
    throw error;
  });
  return {
    port: (server.address() as AddressInfo).port,
    answer(own) {
      ready = own;
      resolve(own);
    },
    refuse: () => void server.close(),
    cut: () => server.closeAllConnections(),
  };
}

/** Resolves when the signal aborts. */
export const stopped = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, "abort");
};
