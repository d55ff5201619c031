import { describe } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { workCases } from "../../../_support/work/cases.ts";

describe("in memory", () => workCases(() => memoryStorage()));
describe("in SQLite", () => workCases(() => sqliteStorage({ path: ":memory:" })));
