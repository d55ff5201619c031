// In the place of `node:timers`: the globals of the moment, which are the simulation's while a seed runs.
type Run = (...args: unknown[]) => void;
export const setTimeout = (run: Run, ms?: number, ...args: unknown[]) => globalThis.setTimeout(run, ms, ...args);
export const setInterval = (run: Run, ms?: number, ...args: unknown[]) => globalThis.setInterval(run, ms, ...args);
export const setImmediate = (run: Run, ...args: unknown[]) => globalThis.setImmediate(run, ...args);
export const clearTimeout = (timer: NodeJS.Timeout) => globalThis.clearTimeout(timer);
export const clearInterval = (timer: NodeJS.Timeout) => globalThis.clearInterval(timer);
export const clearImmediate = (timer: NodeJS.Immediate) => globalThis.clearImmediate(timer);
