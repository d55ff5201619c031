import { describe, test } from "vitest";
import { memoryBlob } from "../../../../src/drivers/blob/memory.ts";
import { blobSuite } from "../../../../src/surfaces/testing/blob.ts";
import { passes } from "../../../_support/passes.ts";

describe("memoryBlob", () => {
  for (const c of blobSuite) test(c.name, () => passes(c.run(memoryBlob)));
});
