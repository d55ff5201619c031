import { defineConfig } from "vitest/config";
import { viteInboxAssets } from "../../scripts/inbox-assets.mjs";

/** The tests that a group of `mutation.json` names, in one project, because Stryker plans them one by one. */
export default defineConfig({
  plugins: [viteInboxAssets],
  test: {
    environment: "node",
    include: (process.env["MUTATION_TESTS"] ?? "").split(" "),
    setupFiles: ["test/_support/setup.ts"],
    testTimeout: 20_000,
  },
});
