/**
 * The option `clock` of a backend whose time runs `speed` times as fast from `since` on: leases and retries that take minutes end in
 * seconds. Processes with the same two numbers agree on the time, and so does a process that is started again.
 */
export const fastClock = (speed, since) => ({
  now: () => Math.round(since + (Date.now() - since) * speed),
  setTimer(fn, ms) {
    const timer = setTimeout(fn, ms / speed).unref();
    return () => clearTimeout(timer);
  },
});
