import type { Process, World } from "./world.ts";

/** The world whose time and randomness the code under test has. */
let active: World | undefined;
const native = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate, fetch };
const resets: (() => void)[] = [];

/** The world of the running seed. Throws with the place where code asks for time while none runs. */
export function theWorld(): World {
  if (!active) throw new Error("the simulation's time was asked for while no seed runs");
  return active;
}

/** Registers what begins anew with each seed, such as a pool of random bytes. */
export function eachSeed(reset: () => void): void {
  resets.push(reset);
}

/** State of which each process of the real system has one: `make` runs once for each simulated process. */
export function ownState<T>(make: () => T): T {
  const { own } = theWorld().current() ?? outside;
  let state = own.get(make) as T | undefined;
  if (state === undefined) {
    state = make();
    own.set(make, state);
  }
  return state;
}

let outside: Process = newOutside();
function newOutside(): Process {
  return { name: "world", alive: true, drift: 0, frozenUntil: 0, pending: 0, own: new Map(), version: "this" };
}

/** Ways to the machine's time: what stands in for one of them, and refusals for the others. */
function machineTime(world: World, found: (place: string) => void): [object, string, unknown][] {
  const timeout = (ms: number): AbortSignal => {
    const ending = new AbortController();
    world.after(ms, world.current(), () => ending.abort(new DOMException("timed out", "TimeoutError")));
    return ending.signal;
  };
  const refuse = (name: string) => (): never => {
    const error = new Error(`the machine's clock was asked: ${name}`);
    found(error.stack ?? error.message);
    throw error;
  };
  const hrtime = Object.assign(refuse("process.hrtime"), { bigint: refuse("process.hrtime.bigint") });
  return [
    [process, "hrtime", hrtime],
    [AbortSignal, "timeout", timeout],
  ];
}

/**
 * Puts the world's time, timers and randomness in the place of the machine's, until the function that it returns is called. Errors
 * have traces with `traced` alone, since they take a tenth of the time.
 */
export function enter(world: World, found: (violation: string) => void, traced: boolean): () => void {
  if (active) throw new Error("one seed runs at a time");
  const { stackTraceLimit } = Error;
  if (!traced) Error.stackTraceLimit = 0;
  active = world;
  outside = newOutside();
  for (const reset of resets) reset();
  const drift = (): number => world.current()?.drift ?? 0;
  const now = (): number => world.now() + drift();
  const math = world.random.fork("math");
  const start = world.now();
  const timer =
    (repeats: boolean) =>
    (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const owner = world.current();
      const wait = Math.max(1, Math.floor(Number(ms) || 0));
      let cancel: () => void;
      const fire = (): void => {
        if (repeats) cancel = world.after(wait, owner, fire);
        run(...args);
      };
      cancel = world.after(wait, owner, fire);
      const handle = { cancel: () => cancel(), ref: () => handle, unref: () => handle, hasRef: () => false };
      return handle;
    };
  const clear = (handle: unknown): void => (handle as { cancel?: () => void } | undefined)?.cancel?.();
  Object.assign(globalThis, {
    setTimeout: timer(false),
    setInterval: timer(true),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => ({
      cancel: world.at(world.now(), world.current(), () => run(...args)),
      unref() {},
    }),
    fetch: (url: string, init: RequestInit = {}) => world.fetch(url, init),
  });
  const [date, random] = [globalThis.Date, Math.random];
  class WorldDate extends date {
    constructor(...args: [] | ConstructorParameters<DateConstructor>) {
      // Without arguments it is the world's time.
      if (args.length === 0) super(now());
      else super(...(args as [number]));
    }
    static override now = now;
  }
  globalThis.Date = WorldDate as DateConstructor;
  Math.random = math.next;
  const bytes = world.random.fork("web crypto");
  const chances = {
    getRandomValues: <T extends Uint8Array>(array: T): T => {
      for (let n = 0; n < array.length; n++) array[n] = Math.floor(bytes.next() * 256);
      return array;
    },
    randomUUID: () =>
      `00000000-0000-4000-8000-${Math.floor(bytes.next() * 2 ** 48)
        .toString(16)
        .padStart(12, "0")}`,
  };
  for (const [name, value] of Object.entries(chances)) {
    Object.defineProperty(crypto, name, { value, configurable: true, writable: true });
  }
  const clocks = {
    now: () => world.now() - start,
    eventLoopUtilization: () => ({ idle: world.now() - start, active: 0, utilization: 0 }),
  };
  for (const [name, value] of Object.entries(clocks)) {
    Object.defineProperty(performance, name, { value, configurable: true, writable: true });
  }
  const refused = machineTime(world, found);
  const before = refused.map(([of, name]) => Object.getOwnPropertyDescriptor(of, name));
  for (const [of, name, value] of refused)
    Object.defineProperty(of, name, { value, configurable: true, writable: true });
  return () => {
    Error.stackTraceLimit = stackTraceLimit;
    active = undefined;
    for (const [at, [of, name]] of refused.entries()) Object.defineProperty(of, name, before[at] ?? {});
    Object.assign(globalThis, native);
    globalThis.Date = date;
    Math.random = random;
    for (const name of Object.keys(clocks)) Reflect.deleteProperty(performance, name);
    for (const name of Object.keys(chances)) Reflect.deleteProperty(crypto, name);
  };
}
