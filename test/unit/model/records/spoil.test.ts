import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { spoilEachLeaf } from "../../../_support/records/spoil.ts";

const directory = await mkdtemp(join(tmpdir(), "form-backend-"));
afterAll(() => rm(directory, { recursive: true, force: true }));
let files = 0;

spoilEachLeaf("memory", async () => {
  const storage = memoryStorage();
  await storage.open();
  return storage;
});
spoilEachLeaf("SQLite", async () => {
  const storage = sqliteStorage({ path: join(directory, `${files++}.db`) });
  await storage.open();
  return storage;
});
