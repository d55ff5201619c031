import { setTimeout } from "node:timers/promises";
import { errorMessage } from "../../../lib/message.ts";

/** The part of a handle that reads. */
interface Queried {
  prepare(sql: string): { get(): unknown };
}

/** The time that a connection waits for another one's lock. */
export const BUSY_MS = 5000;

/** Turns WAL on. The change needs the file alone for a moment, and SQLite does not wait for that by itself. */
export async function useWal(database: Queried): Promise<void> {
  const deadline = performance.now() + BUSY_MS;
  for (;;) {
    try {
      database.prepare("PRAGMA journal_mode = WAL").get();
      return;
    } catch (error) {
      if (!/locked|busy/i.test(errorMessage(error)) || performance.now() > deadline) throw error;
    }
    await setTimeout(5 + Math.random() * 20);
  }
}

/** The number that a pragma returns. */
export function pragma(database: Queried, name: string): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number | bigint>;
  return Number(Object.values(row)[0]);
}
