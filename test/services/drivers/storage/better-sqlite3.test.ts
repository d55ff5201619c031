import BetterSqlite3 from "better-sqlite3";
import { describe, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";

describe("sqliteStorage over a handle of better-sqlite3", () => {
  for (const c of storageSuite) {
    it(c.name, () => c.run(() => sqliteStorage({ database: new BetterSqlite3(":memory:") })), 60_000);
  }
});
