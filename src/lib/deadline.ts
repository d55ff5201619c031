/** The signal of one call that may take only so long. */
export interface Deadline {
  /** Aborts when the time is up, or with the outer ones and their reason. */
  readonly signal: AbortSignal;
  /** True once the time is up. */
  isLate(): boolean;
  /** Lets go of the outer signals. For the end of the call, whatever came of it. */
  over(): void;
}

/**
 * A signal that aborts after `ms` or with one of `outer`. Not `AbortSignal.any`: Node 20 keeps a reference to each of its results in
 * the signals that it is made of, and the worker's lives as long as the process.
 */
export function deadline(ms: number, ...outer: readonly (AbortSignal | undefined)[]): Deadline {
  const ending = new AbortController();
  const limit = AbortSignal.timeout(ms);
  const sources = [...outer, limit].filter((signal) => signal !== undefined);
  const end = (): void => ending.abort(sources.find(({ aborted }) => aborted)?.reason);
  for (const source of sources) source.addEventListener("abort", end, { once: true });
  if (sources.some(({ aborted }) => aborted)) end();
  return {
    signal: ending.signal,
    isLate: () => limit.aborted,
    over() {
      for (const source of sources) source.removeEventListener("abort", end);
    },
  };
}
