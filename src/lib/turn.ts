/** Time that one piece of work may take in one turn of the event loop. */
const SLICE_MS = 5;
/** After longer work the queue rests for as long as it took, up to this: heavy work gets half of the loop's time, never all of it. */
const MAX_REST_MS = 100;

const waiting: (() => void)[] = [];
let isHanding = false;
let restsUntil = 0;

/**
 * A turn of the event loop for the caller alone among all that wait here: `setImmediate` by itself wakes everybody in the same turn.
 * There is one loop in a process, so there is one queue.
 */
export function ownTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (isHanding) return;
    isHanding = true;
    whenRested();
  });
}

function whenRested(): void {
  const left = restsUntil - performance.now();
  if (left > 0) setTimeout(hand, left);
  else setImmediate(hand);
}

function hand(): void {
  const from = performance.now();
  waiting.shift()?.();
  // Runs after the caller's own work, which continues when this function returns.
  setImmediate(() => {
    const now = performance.now();
    restsUntil = now - from > SLICE_MS ? now + Math.min(now - from, MAX_REST_MS) : 0;
    if (waiting.length > 0) whenRested();
    else isHanding = false;
  });
}

/** For long work in small steps: to be called, and awaited, between them. Gives others their turn once a slice of time is over. */
export function inSlices(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return ownTurn().then(() => {
      since = performance.now();
    });
  };
}
