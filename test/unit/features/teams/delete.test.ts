import { join } from "node:path";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { teamDeletionCases } from "../../../_support/team-deletion-cases.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";

teamDeletionCases("memory", () => memoryStorage());
teamDeletionCases("SQLite", () => sqliteStorage({ path: join(temporaryDirectory(), "store.db") }));
