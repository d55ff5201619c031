import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a TCP server that can be cut, and that can go silent while it stays open. */
export interface TcpProxy {
  readonly port: number;
  /** Resets every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Swallows what comes from now on, in both directions, on every connection that is open; new ones are taken, and swallowed too. */
  silence(): void;
  /** New connections get through again; those that were silenced stay dead. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

export async function proxyTo(host: string, port: number): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket | null]>();
  let silent = false;
  const server = createServer((from) => {
    from.on("error", () => {});
    if (silent) {
      from.resume();
      pairs.add([from, null]);
      return;
    }
    const to = connect(port, host);
    const pair = [from, to] as const;
    pairs.add(pair);
    to.on("error", () => from.destroy());
    from.pipe(to).pipe(from);
    from.on("close", () => {
      to.destroy();
      pairs.delete(pair);
    });
    to.on("close", () => from.destroy());
  });
  const listen = (at: number): Promise<void> =>
    new Promise((resolve) => server.listen(at, "127.0.0.1", () => resolve()));
  await listen(0);
  const own = (server.address() as AddressInfo).port;
  const destroyAll = (): void => {
    for (const [from, to] of pairs) {
      from.destroy();
      to?.destroy();
    }
    pairs.clear();
  };
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const stopped = new Promise((resolve) => server.close(resolve));
    destroyAll();
    await stopped;
  };
  return {
    port: own,
    cut: stop,
    silence() {
      silent = true;
      for (const [from, to] of pairs) {
        if (!to) continue;
        from.unpipe(to);
        to.unpipe(from);
        from.resume();
        to.resume();
      }
    },
    async restore() {
      silent = false;
      if (!server.listening) await listen(own);
    },
    close: stop,
  };
}
