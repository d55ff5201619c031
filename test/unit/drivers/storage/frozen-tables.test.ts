import { describe, expect, it } from "vitest";
import { currentTables } from "../../../../src/drivers/storage/_sql/tables.ts";
import { collectionSpec, collections } from "../../../../src/model/collections.ts";

/** The indexes that no index of another one's runs can stand for. */
const declaredIndexes = (collection: string): string[] =>
  Object.entries(collectionSpec(collection).indexes).flatMap(([name, { equals, sort, merges }]) =>
    merges ? [] : [`${name}: ${[...equals, sort, "id"].join(", ")}`],
  );

describe("the tables that the migrations leave", () => {
  it("are those that the drivers read and write", () => {
    expect([...currentTables.keys()]).toEqual(Object.keys(collections));
  });

  it.each(Object.keys(collections))("%s has every declared column, with its type, and no other", (collection) => {
    // A failure here means that `schema.ts` changed: add a migration, and list the whole table under its number.
    expect(currentTables.get(collection)?.columns).toEqual(collectionSpec(collection).columns);
  });

  it.each(Object.keys(collections))("%s has every declared index", (collection) => {
    const made = currentTables.get(collection)?.indexes ?? [];
    // An index may cover more columns than a query needs.
    const missing = declaredIndexes(collection).filter(
      (index) => !made.some(({ name, keys }) => `${name}: ${keys.join(", ")}`.startsWith(index)),
    );
    expect(missing).toEqual([]);
  });

  it("keep what an index is sorted by out of it where it is null", () => {
    for (const [collection, { indexes }] of currentTables) {
      for (const { name, sort } of indexes) {
        const declared = collectionSpec(collection).indexes[name];
        expect(sort, `${collection}.${name}`).toBe(declared?.sort ?? "due_at");
      }
    }
  });
});
