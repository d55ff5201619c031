const cleanups: (() => unknown)[] = [];

/**
 * Has a function run at the end of the test file, the last one first. Not `afterAll` of a module: where files share a process, a
 * module is evaluated for the first of them only.
 */
export const atEndOfFile = (clean: () => unknown): void => void cleanups.push(clean);

/** Runs them. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean();
}
