import { describe, test } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import { blobSuite } from "../../../../src/surfaces/testing/blob.ts";

describe("memoryBlob", () => {
  for (const c of blobSuite) test(c.name, () => c.run(memoryBlob));
});
