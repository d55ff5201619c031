import { systemClock } from "./clock.ts";

/** Resolves like `work`, or rejects after `ms` of real time. The work itself is not stopped. */
export async function inTime<T>(ms: number, work: () => Promise<T>): Promise<T> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = systemClock.setTimer(() => reject(new Error(`no response within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    cancel();
  }
}
