import type { ListenClient, ListenPool } from "./_listen.ts";

/** The members used of `sql` of postgres.js. */
export interface ListeningSql {
  readonly unsafe: (...args: never[]) => unknown;
  listen(channel: string, onNotify: (payload: string) => void): PromiseLike<{ unlisten(): Promise<void> }>;
}

type Unsafe = (text: string, values: unknown[]) => PromiseLike<unknown>;

/** `sql` in the shape of pg's pool. It listens on a connection of its own, which it opens again after an outage. */
export const overPostgresJs = (sql: ListeningSql): ListenPool => ({
  query: async (text, values) => (sql.unsafe as unknown as Unsafe)(text, values),
  async connect(): Promise<ListenClient> {
    let hear: (message: { channel: string; payload: string }) => void = () => {};
    let listening: PromiseLike<{ unlisten(): Promise<void> }> | undefined;
    return {
      async query(text) {
        const [, channel = ""] = /^listen "(\w+)"$/.exec(text) ?? [];
        listening = sql.listen(channel, (payload) => hear({ channel, payload }));
        await listening;
      },
      on(event: string, listener: (message: never) => void) {
        if (event === "notification") hear = listener as typeof hear;
      },
      // Also where it begins to listen too late.
      release: () => void listening?.then(({ unlisten }) => unlisten()).then(null, () => {}),
    };
  },
  on() {},
  off() {},
});
