import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    environment: "node",
    // Two cores: more workers only make real sockets and child processes wait for each other.
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "guards", include: ["test/guards/**/*.test.ts"] } },
      { extends: true, test: { name: "package", include: ["test/package/**/*.test.ts"] } },
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/guards/**",
            "test/package/**",
            "test/e2e/**",
            "test/faults/**",
            "test/bench/**",
            "test/hosts/**",
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: "hosts",
          include: ["test/hosts/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 900_000,
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: "faults",
          include: ["test/faults/**/*.test.ts"],
          testTimeout: 300_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
