import { describe, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";
import { passes } from "../../../_support/passes.ts";

describe("memoryStorage", () => {
  for (const c of storageSuite) it(c.name, () => passes(c.run(() => memoryStorage())), 60_000);
});
