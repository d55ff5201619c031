// In the place of `node:timers/promises`.
export const setTimeout = <T>(ms?: number, value?: T): Promise<T | undefined> =>
  new Promise((resolve) => globalThis.setTimeout(() => resolve(value), ms));
export const setImmediate = <T>(value?: T): Promise<T | undefined> =>
  new Promise((resolve) => globalThis.setImmediate(() => resolve(value)));
