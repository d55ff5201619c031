import { expect } from "vitest";

/**
 * Asserts that a case of a conformance suite passes. It throws where it fails, and knows nothing of Vitest. Tests that run at the
 * same time give their own `expect`, which counts their assertions.
 */
export const passes = (run: Promise<void>, own = expect): Promise<void> => own(run).resolves.toBeUndefined();
