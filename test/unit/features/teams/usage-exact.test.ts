import { join } from "node:path";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { runs } from "../../../_support/runs.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { usageCases } from "../../../_support/usage-cases.ts";

usageCases("memory", () => memoryStorage(), runs(4, 2_000));
usageCases("SQLite", () => sqliteStorage({ path: join(temporaryDirectory(), "store.db") }), runs(2, 100));
