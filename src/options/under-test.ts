/** True under a test runner, where the default logger writes errors alone and nothing is loaded in the background. */
export const underTest = (): boolean =>
  process.env["NODE_ENV"] === "test" || process.env["NODE_TEST_CONTEXT"] !== undefined;
