import Libsql from "libsql";
import { describe, it } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";

describe("sqliteStorage over a handle of libsql, which has the shape of better-sqlite3", () => {
  for (const c of storageSuite) {
    it(c.name, () => c.run(() => sqliteStorage({ database: new Libsql(":memory:") as never })), 60_000);
  }
});
