import { systemClock } from "./clock.ts";

/** Work that took longer than it may. Its text is ours. */
export class LateError extends Error {
  override readonly name = "LateError";
}

/** Resolves like `work`, or rejects after `ms` of real time. The work itself is not stopped. */
export async function inTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = systemClock.setTimer(() => reject(new LateError(`no response within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    cancel();
  }
}
