import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A proxy in front of a service, whose line can be cut, blocked, or left open without anything coming through. */
export interface Line {
  readonly port: number;
  /** Ends every connection and refuses new ones until `mend`. */
  cut(): Promise<void>;
  /** From now on bytes are swallowed on the connections that are open; new ones work. */
  swallow(): void;
  mend(): Promise<void>;
  end(): Promise<void>;
}

export async function proxyTo(target: { host: string; port: number }): Promise<Line> {
  const pairs = new Set<{ near: Socket; far: Socket; deaf: boolean }>();
  const server = createServer((near) => {
    const pair = { near, far: connect(target), deaf: false };
    pairs.add(pair);
    const over = (): void => {
      pairs.delete(pair);
      near.destroy();
      pair.far.destroy();
    };
    for (const socket of [near, pair.far]) socket.on("error", over).on("close", over);
    near.on("data", (data) => pair.deaf || pair.far.write(data));
    pair.far.on("data", (data) => pair.deaf || near.write(data));
  });
  const listen = async (port: number): Promise<void> =>
    void (await once(server.listen(port, "127.0.0.1"), "listening"));
  const cut = async (): Promise<void> => {
    const closed = server.listening ? once(server.close(), "close") : null;
    for (const { near, far } of pairs) for (const socket of [near, far]) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as { port: number };
  return {
    port,
    cut,
    swallow() {
      for (const pair of pairs) pair.deaf = true;
    },
    mend: () => listen(port),
    end: cut,
  };
}
