import type { Clock } from "../../lib/clock.ts";

/** A clock that stops until you move it. */
export interface TestClock extends Clock {
  /** Goes to `ms` (epoch), running the timers that fall due on the way, earliest first. Going back is refused. */
  set(ms: number): void;
}

export function testClock(start: number): TestClock {
  let now = start;
  let timers: { at: number; fn: () => void }[] = [];
  return {
    now: () => now,
    setTimer(fn, ms) {
      const timer = { at: now + Math.max(0, ms), fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    set(ms) {
      if (ms < now) throw new RangeError("[form-backend] a test clock only goes forward");
      for (;;) {
        const next = timers.filter(({ at }) => at <= ms).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        timers = timers.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.fn();
      }
      now = ms;
    },
  };
}
