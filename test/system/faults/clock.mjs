/**
 * The option `clock` of a backend whose time runs `speed` times as fast from `since` on: leases and retries that take minutes end in
 * seconds. Processes with the same numbers agree on the time, and so does a process that is started again. `ahead` is a time
 * that has passed at once.
 */
export const fastClock = (speed, since, ahead = 0) => ({
  now: () => Math.round(since + ahead + (Date.now() - since) * speed),
  setTimer(fn, ms) {
    const timer = setTimeout(fn, ms / speed).unref();
    return () => clearTimeout(timer);
  },
});
