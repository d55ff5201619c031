import { statSync } from "node:fs";
import { LOG_BYTES } from "./engine.ts";
import { createThread, type Thread } from "./thread.ts";

/** Commits between two looks at the size of the log. */
const LOOK_EVERY = 32;

/** Copies the log into the file while commits go on. */
export interface Checkpoints {
  /** Call it after each commit. */
  committed(): void;
  /** Waits for what is being copied. */
  close(): Promise<void>;
}

/**
 * A checkpoint in the connection that commits holds up the commit that reaches the limit, and every post behind it, for as long
 * as 16 MB take to copy and sync. So a thread with a connection of its own copies what is there, which stops nobody; the
 * connections that commit copy only what is left when the log is four times as large. Without a thread, `here` copies.
 */
export function createCheckpoints(path: string, here: () => void, start = createThread): Checkpoints {
  let commits = 0;
  let thread: Promise<Thread | null> | undefined;
  let copying: Promise<void> | null = null;

  // True from the first large log on, since the file never shrinks: a pass every 32 commits is shorter than one over 16 MB.
  const isLarge = (): boolean => (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES;

  async function copy(): Promise<void> {
    thread ??= start(path);
    const there = await thread;
    if (there && !there.ended()) await there.checkpoint();
    else here();
  }

  return {
    committed() {
      if (++commits % LOOK_EVERY > 0 || copying || !isLarge()) return;
      // A full disk or a lock says so to the next commit, which has somebody who waits for it.
      copying = copy()
        .catch(() => {})
        .finally(() => {
          copying = null;
        });
    },
    async close() {
      await copying;
      await (await thread)?.close();
    },
  };
}
