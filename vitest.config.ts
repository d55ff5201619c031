import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { viteInboxAssets } from "./scripts/inbox-assets.mjs";

/** One project per folder of `test/`, so that the name of a folder is the name of a command. */
const tier = (name: string, options: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], ...options },
});

/**
 * Unit tests that replace a module (`vi.mock`, `vi.doMock`) or bring a host that replaces globals: each has a
 * process state of its own. All others of the tier share one per worker, which loads the library once instead of
 * two hundred times. `test/guards/tiers.test.ts` names files that belong here.
 */
export const ALONE = [
  "test/unit/core/alerts.test.ts",
  "test/unit/adapters/consumed.test.ts",
  "test/unit/adapters/hono.test.ts",
  "test/unit/adapters/two-backends.test.ts",
  "test/unit/surfaces/browser/draft-storage.test.ts",
  "test/unit/features/dialects/clients.test.ts",
  "test/unit/drivers/mailer/smtp.test.ts",
  "test/unit/features/email-servers/email-servers.test.ts",
  "test/unit/features/email-servers/sending.test.ts",
  "test/unit/surfaces/inbox/insight-places.test.ts",
  "test/unit/surfaces/inbox/without-zips.test.ts",
  "test/unit/features/intake/routing-cost.test.ts",
  "test/unit/features/intake/validate.test.ts",
  "test/unit/lib/dns-limits.test.ts",
  "test/unit/features/mail/verify.test.ts",
  "test/unit/surfaces/mcp/failed-load.test.ts",
  "test/unit/features/spam/backtest-steps.test.ts",
  "test/unit/core/telemetry.test.ts",
  "test/unit/surfaces/api/both-sides.test.ts",
  "test/unit/features/teams/domain-state.test.ts",
  "test/unit/surfaces/api/fuzz/others.test.ts",
  // Divides the time of the process among the heavy requests in it, those that another file left under way too.
  "test/unit/core/fairness/share-requests.test.ts",
];
/** A test that asserts nothing can't fail. */
const asserting = { expect: { requireAssertions: true, poll: { timeout: 60_000 } } };
const shared = tier("unit", { ...asserting, isolate: false, exclude: ["**/node_modules/**", ...ALONE] });
const alone = tier("unit", { ...asserting, name: "unit-alone", include: ALONE });
/** They share a process as well: loading the library for each file took a quarter of their time. */
const services = tier("services", { isolate: false });

/**
 * Files that take minutes. Vitest begins with the largest files, and a small one that builds apps would then run alone at the
 * end. Those that mostly wait, for a lease or a restart, come early, each beside one that builds, so that no core waits with them.
 */
const LONG = [
  "system/faults/serve-kill",
  "system/hosts/nuxt",
  "system/faults/kill",
  "system/hosts/nitro",
  "system/docs/blocks",
  "system/package/compiles",
  // Files of one tier after another, so that their process goes on.
  "services/surfaces/browser/frameworks",
  "services/surfaces/inbox/browser",
  "services/drivers/blob/s3-faults",
  "services/drivers/queue/postgres",
  "services/features/pages/browser",
  "services/surfaces/inbox/operations",
  "services/drivers/storage/postgres",
  "services/features/submissions/import",
  "services/features/submissions/scale",
  "services/features/jobs/model",
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`));
      return at < 0 ? LONG.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}

/** Real apps, child processes, faults: time for what they install and for what they wait for. */
const slow = { testTimeout: 300_000, hookTimeout: 900_000 };

export default defineConfig({
  plugins: [viteInboxAssets],
  test: {
    environment: "node",
    // For two cores. Tests wait for sockets, timers and child processes, so two workers leave a fifth of the time unused.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 300_000,
    // A page on a busy machine may take its time; the default is one second.
    expect: { poll: { timeout: 10_000 } },
    setupFiles: ["test/_support/setup.ts"],
    projects: [tier("guards", asserting), shared, alone, services, tier("system", slow), tier("hosts-all", slow)],
  },
});
