import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStorage } from "unstorage";
import { afterAll } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { unstorageStorage } from "../../../../src/drivers/storage/unstorage.ts";
import { keepNewerMembers } from "../../../_support/records/newer.ts";
import { stripEachLeaf } from "../../../_support/records/strip.ts";

const directory = await mkdtemp(join(tmpdir(), "form-backend-"));
afterAll(() => rm(directory, { recursive: true, force: true }));
let files = 0;

const opened = <T extends { open(): Promise<void> }>(driver: T): Promise<T> => driver.open().then(() => driver);

for (const test of [stripEachLeaf, keepNewerMembers]) {
  test("memory", () => opened(memoryStorage()));
  test("unstorage", () => opened(unstorageStorage(createStorage())));
  test("SQLite", () => opened(sqliteStorage({ path: join(directory, `${files++}.db`) })));
}
