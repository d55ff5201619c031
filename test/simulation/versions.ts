import { isDeepStrictEqual } from "node:util";
import { columnsOf } from "../../src/drivers/storage/_rows/columns.ts";
import type { Value, Write } from "../../src/drivers/storage/types.ts";
import type { CollectionName } from "../../src/model/collections.ts";
import { recordLeaves } from "../../src/model/records.ts";
import { required } from "../_support/records/required.ts";
import type { Changed } from "./store.ts";

/**
 * The version whose records a process makes. The one before leaves out what it does not know; a later one adds members that this one
 * does not know. Changes keep what is there: all versions do so.
 */
export type Version = "before" | "this" | "later";

/** A member that no version knows today: an object with another number in each object that has it. */
const LATER = "from_a_later_version";
/** Objects whose members are named by people, or differ with each writer. */
const byName = new Set(["labels", "fields", "data"]);
/** Written anew each time, or by adding alone. What a submission is found by in a run follows from the submission, so it is no record of its own. */
const without = new Set(["counters", "marks", "submission_runs"]);

/** Makes writes as versions do. One for each store, which numbers what it adds. */
export function createVersions(): { written(version: Version, write: Write, before: Value | undefined): Write } {
  let count = 0;

  function grown(value: unknown, isForm: boolean): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((one) => grown(one, isForm));
    const copy: Value = {};
    for (const [name, inner] of Object.entries(value))
      copy[name] = isForm && name !== LATER && !byName.has(name) ? grown(inner, isForm) : inner;
    return { ...copy, [LATER]: copy[LATER] ?? { n: ++count } };
  }

  return {
    written(version, write, before) {
      if (version === "this" || write.op !== "put" || without.has(write.collection)) return write;
      const { collection, value } = write;
      if (before) {
        // What it remembers of a row that it wrote has the member, too.
        const isLacking = version === "later" && LATER in before && !(LATER in value);
        return isLacking ? { ...write, value: { ...value, [LATER]: before[LATER] } } : write;
      }
      if (version === "later") return { ...write, value: grown(value, collection === "forms") as Value };
      return { ...write, value: shortened(collection as CollectionName, value) };
    },
  };
}

/** The record without the members whose absence says the same: a version that did not know them wrote it so. */
function shortened(collection: CollectionName, value: Value): Value {
  const { read } = recordLeaves[collection];
  const needed = required[collection];
  // Which members must not be missing is said for these alone.
  if (!needed) return value;
  const kept = new Set([...needed, ...columnsOf(collection).map(({ name }) => name)]);
  const short = { ...value };
  for (const name of Object.keys(value)) {
    if (kept.has(name)) continue;
    const { [name]: _, ...rest } = short;
    if (isReadAs(read, rest, value)) delete short[name];
  }
  return short;
}

/** A record that can't be read without a member says the same to all appearances: that it is read is for the seed to find out. */
function isReadAs(read: (stored: unknown) => unknown, rest: Value, value: Value): boolean {
  try {
    return isDeepStrictEqual(read(rest), read(value));
  } catch {
    return true;
  }
}

/** Tells of members of a later version that a change has lost. */
export function watchVersions(say: (violation: string) => void): (changes: readonly Changed[]) => void {
  return (changes) => {
    for (const { collection, id, before, after } of changes) {
      if (!before) continue;
      // What is moved to another collection keeps its id.
      const now = after ?? changes.find((one) => one.id === id && one.after && !one.before)?.after;
      if (now)
        lost(before.value, now.value, "", (path) => say(`${collection} ${id} has lost ${path} of a later version`));
    }
  };
}

function lost(before: unknown, after: unknown, path: string, say: (path: string) => void): void {
  if (typeof before !== "object" || typeof after !== "object" || !before || !after) return;
  if (Array.isArray(before)) {
    if (!Array.isArray(after)) return;
    for (const one of before) {
      const same = after.find((other) => one?.id !== undefined && other?.id === one.id);
      lost(one, same, `${path}${one?.id}.`, say);
    }
    return;
  }
  for (const [name, value] of Object.entries(before)) {
    const now = (after as Value)[name];
    if (name !== LATER) lost(value, now, `${path}${name}.`, say);
    else if (!isDeepStrictEqual(now, value)) say(`${path}${name}`);
  }
}
