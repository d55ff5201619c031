import { expect } from "vitest";

/** Asserts that a case of a conformance suite passes. It throws where it fails, and knows nothing of Vitest. */
export const passes = (run: Promise<void>): Promise<void> => expect(run).resolves.toBeUndefined();
