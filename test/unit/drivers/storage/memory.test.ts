import { describe, it } from "vitest";
import { memoryStorage } from "../../../../src/drivers/storage/memory.ts";
import { storageSuite } from "../../../../src/surfaces/testing/storage.ts";

describe("memoryStorage", () => {
  for (const c of storageSuite) it(c.name, () => c.run(() => memoryStorage()), 60_000);
});
