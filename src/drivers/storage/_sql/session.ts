/** The open state of a store. */
export interface SessionHolder<S> {
  /** Starts once for all callers; after a failure or `close()` the next call starts again. */
  open(): Promise<void>;
  /** Throws where the store is not open. */
  current(): S;
  /** Ends the session, even if it is still starting. */
  close(): Promise<void>;
}

export function holdSession<S>(
  store: string,
  start: () => Promise<S>,
  end: (session: S) => Promise<void>,
): SessionHolder<S> {
  let starting: Promise<S> | undefined;
  let session: S | undefined;
  return {
    async open() {
      starting ??= start();
      const mine = starting;
      try {
        const started = await mine;
        if (starting === mine) session = started;
      } catch (error) {
        if (starting === mine) starting = undefined;
        throw error;
      }
    },
    current() {
      if (!session) throw new Error(`[form-backend] the ${store} store is not open: await open() first`);
      return session;
    },
    async close() {
      const ending = starting;
      starting = undefined;
      session = undefined;
      const started = await ending?.catch(() => undefined);
      if (started) await end(started);
    },
  };
}
