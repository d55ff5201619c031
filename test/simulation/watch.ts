import type { Setting } from "./setting.ts";
import type { Changed } from "./store.ts";
import { OTHER_TEAM, type System } from "./system.ts";
import { watchVersions } from "./versions.ts";

/** Counts that were taken while things happened. */
export interface Watched {
  /** Submissions and files that the deletion of the other team has removed. */
  readonly removed: Map<string, number>;
}

/** Promises that hold at each moment: looks at every row as it changes. */
export function watch({ store }: System, { parts }: Setting, say: (violation: string) => void): Watched {
  const removed = new Map<string, number>();
  const kept = watchVersions(say);
  store.onCopy = () => {
    const then = [...removed];
    return () => {
      removed.clear();
      for (const [collection, n] of then) removed.set(collection, n);
    };
  };
  store.onChange = (changes) => {
    if (parts.versions) kept(changes);
    for (const change of changes) {
      if (change.collection === "jobs") watchJob(change, say);
      const { collection, before, after } = change;
      // Nobody else removes anything of that team.
      if (before?.value["team_id"] === OTHER_TEAM && !after)
        removed.set(collection, (removed.get(collection) ?? 0) + 1);
    }
  };
  return { removed };
}

function watchJob({ id, before, after }: Changed, say: (violation: string) => void): void {
  if (!before || !after) return;
  const [was, is] = [before.value, after.value];
  // A worker that lost its lease may be late, and its failure must not hide the success of another one.
  if (was["status"] === "succeeded" && is["status"] !== "succeeded" && is["forced"] !== true)
    say(`delivery ${id} had succeeded, and is ${String(is["status"])} now`);
  if (Number(is["attempt"]) < Number(was["attempt"])) say(`delivery ${id} forgets an attempt`);
}
