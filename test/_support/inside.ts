import type { Core } from "../../src/core/core.ts";
import { memoryStorage } from "../../src/drivers/storage/memory.ts";
import type { FormBackendOptions } from "../../src/surfaces/api/kernel.ts";
import { createBackend, type FormBackend, type Seams } from "../../src/surfaces/form-backend.ts";
import { type TestClock, testClock } from "../../src/surfaces/testing/clock.ts";

/** A backend without workers over a store in memory, and its core, for tests of code that no public call reaches directly. */
export async function inside(
  options: Partial<FormBackendOptions> = {},
  seams: Seams = {},
): Promise<{ b: FormBackend; core: Core; clock: TestClock }> {
  const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
  let core: Core | undefined;
  const b = createBackend(
    {
      baseUrl: "http://localhost/forms",
      secret: "s".repeat(32),
      storage: memoryStorage(),
      clock,
      work: false,
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      ...options,
    },
    {
      ...seams,
      onReady: async (opened) => {
        core = opened;
      },
    },
  );
  await b.ready();
  return { b, core: core as unknown as Core, clock };
}
