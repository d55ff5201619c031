import type { System } from "./system.ts";

/** Promises that hold at each moment: looks at every row as it changes. */
export function watch({ store }: System, say: (violation: string) => void): void {
  store.onChange = ({ collection, id, before, after }) => {
    if (collection !== "jobs" || !before || !after) return;
    const [was, is] = [before.value, after.value];
    // A worker that lost its lease may be late, and its failure must not hide the success of another one.
    if (was["status"] === "succeeded" && is["status"] !== "succeeded" && is["forced"] !== true)
      say(`delivery ${id} had succeeded, and is ${String(is["status"])} now`);
    if (Number(is["attempt"]) < Number(was["attempt"])) say(`delivery ${id} forgets an attempt`);
  };
}
