/** An index that a migration adds to a table that was there before. */
export interface AddedIndex {
  readonly collection: string;
  readonly name: string;
  readonly keys: readonly string[];
  /** Only rows whose `sort` is not null. */
  readonly sort: string;
}

/**
 * The indexes that each migration adds, by its number. Never change a released list. Functions that write a table don't depend
 * on its indexes, so such a migration needs none of its own.
 */
export const addedIndexes: Readonly<Record<number, readonly AddedIndex[]>> = {
  4: [{ collection: "jobs", name: "status", keys: ["status", "created_at", "id"], sort: "created_at" }],
  6: [
    {
      collection: "jobs",
      name: "form_status",
      keys: ["form_id", "status", "created_at", "id"],
      sort: "created_at",
    },
  ],
};
