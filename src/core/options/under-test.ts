/** True under a test runner, where the default logger writes errors alone and nothing is loaded in the background. */
export const underTest = (): boolean => process.env["NODE_ENV"] === "test" || Boolean(process.env["NODE_TEST_CONTEXT"]);

/**
 * The level of lines that tell of one post each. A developer sees at once where a post went; elsewhere a flood of posts must not
 * become a flood of lines, so there a summary a minute tells of them.
 */
export const levelOfPosts = (): "info" | "debug" =>
  process.env["NODE_ENV"] === "production" || underTest() ? "debug" : "info";
