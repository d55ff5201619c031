import { it } from "vitest";

/** Stands for tests that need what this machine does not have: skipped under a name that says why; where services are required, it fails. */
export function notRun(why: string): void {
  const required = process.env["REQUIRE_SERVICES"] === "1";
  // Reporters do not name what was skipped.
  if (!required) console.warn(`did not run: ${why}`);
  it.skipIf(!required)(`did not run: ${why}`, () => {
    throw new Error(`REQUIRE_SERVICES=1, but ${why}`);
  });
}
