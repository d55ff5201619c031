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

/** The migrations that a database lacks. Throws if a newer version has changed it in a way that this code does not understand. */
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
