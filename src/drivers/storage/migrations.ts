import { collectionSpec } from "./schema.ts";

/** One step of a SQL store. `place` is the prefix or schema of its tables. */
export interface Migration {
  readonly id: number;
  readonly name: string;
  /** Code that does not know this migration must not use the database. */
  readonly breaking: boolean;
  sql(place: string): string[];
}

/** A migration as a database remembers it. */
export interface Applied {
  readonly id: number;
  readonly name: string;
  readonly breaking: boolean;
}

/** What a database still lacks. Throws when a newer version has changed it in a way that this code does not understand. */
export function pending(store: string, applied: readonly Applied[], known: readonly Migration[]): Migration[] {
  const foreign = applied.find((row) => row.breaking && !known.some((migration) => migration.id === row.id));
  if (foreign) {
    throw new Error(
      `[form-backend] ${store}: the database was written by a newer form-backend (migration ${foreign.id} "${foreign.name}"); upgrade the package`,
    );
  }
  const done = new Set(applied.map((row) => row.id));
  return known.filter((migration) => !done.has(migration.id));
}

/** The indexes that a collection's table has: `keys` of the rows whose `sort` is not null. */
export function indexesOf(collection: string): { name: string; keys: readonly string[]; sort: string }[] {
  const indexes = Object.entries(collectionSpec(collection).indexes).flatMap(([name, { equals, sort, merges }]) => {
    if (merges) return [];
    // The work list also answers whose each job is, so that a claim picks from the index alone.
    const covered = collection === "jobs" && name === "due" ? ["target"] : [];
    return [{ name, keys: [...equals, sort, "id", ...covered], sort }];
  });
  // For claims that go from target to target.
  if (collection === "jobs")
    indexes.push({ name: "due_target", keys: ["lane", "target", "due_at", "id"], sort: "due_at" });
  return indexes;
}
