import { afterAll } from "vitest";
import { cleanUp } from "./cleanup.ts";

// Vitest runs this file before each test file, also where they share a process.
afterAll(cleanUp);

if (process.env.TEST_MAP) {
  const { recordCovered } = await import("./covered.ts");
  await recordCovered(process.env.TEST_MAP);
}
