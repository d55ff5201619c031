import { checkRow } from "../_rows/columns.ts";
import type { Write } from "../types.ts";

export type Kind = "insert" | "upsert" | "update" | "remove" | "removeAt" | "add";

/** Rows of one table that are written in the same way. */
export interface Part {
  readonly collection: string;
  readonly kind: Kind;
  readonly writes: Write[];
}

/**
 * The parts of a commit in the order in which they are to be written: one order everywhere, so that two commits which write the
 * same rows don't wait for each other in a circle. A further write to a row that the commit has written already comes in a later
 * part; additions to one counter are summed up. Throws a `TypeError` for a row that some driver could not store.
 */
export function partsOf(writes: readonly Write[]): Part[] {
  const rounds: Map<string, Part>[] = [];
  const last = new Map<string, { round: number; part: Part; at: number }>();
  for (const write of writes) {
    checkRow(write);
    const collection = write.op === "add" ? "counters" : write.collection;
    const key = `${collection} ${write.id}`;
    const earlier = last.get(key);
    const before = earlier?.part.writes[earlier.at];
    if (write.op === "add" && earlier && before?.op === "add") {
      const at = before.at > write.at ? before.at : write.at;
      earlier.part.writes[earlier.at] = { ...before, by: before.by + write.by, at };
      continue;
    }
    const round = earlier ? earlier.round + 1 : 0;
    const kind = kindOf(write);
    if (round === rounds.length) rounds.push(new Map());
    const parts = rounds[round] as Map<string, Part>;
    const part = parts.get(`${collection} ${kind}`) ?? { collection, kind, writes: [] };
    parts.set(`${collection} ${kind}`, part);
    last.set(key, { round, part, at: part.writes.push(write) - 1 });
  }
  const parts = rounds.flatMap((round) => [...round.values()].sort((a, b) => (shapeOf(a) < shapeOf(b) ? -1 : 1)));
  // Fresh rows too: two processes may be about to write the same marks.
  for (const part of parts) part.writes.sort((a, b) => (a.id < b.id ? -1 : 1));
  return parts;
}

const shapeOf = ({ collection, kind }: Part): string => `${collection} ${kind}`;

function kindOf(write: Write): Kind {
  if (write.op === "add") return "add";
  if (write.op === "remove") return typeof write.expect === "number" ? "removeAt" : "remove";
  if (typeof write.expect === "number") return "update";
  return write.expect === null ? "insert" : "upsert";
}
