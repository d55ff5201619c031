/** Under a test runner, defaults that lose data on exit are intended, so there is no warning. */
export const underTest = (): boolean =>
  process.env["NODE_ENV"] === "test" || process.env["NODE_TEST_CONTEXT"] !== undefined;
