import type { StorageDriver } from "../../drivers/storage/types.ts";
import { claimCases } from "./storage/claims.ts";
import { commitCases } from "./storage/commits.ts";
import { conditionCases } from "./storage/conditions.ts";
import { countCases } from "./storage/counts.ts";
import { pageCases } from "./storage/pages.ts";
import { rowCases } from "./storage/rows.ts";
import type { Suite } from "./suite.ts";

/**
 * The conformance suite of a storage driver. `create` returns a driver over an empty store, not yet opened; each case opens and
 * closes its own. The heaviest case makes 1,000 commits: give it 60 s.
 *
 * @example
 * for (const c of storageSuite) it(c.name, () => c.run(() => myDriver({ … })), 60_000);
 */
export const storageSuite: Suite<StorageDriver> = [
  ...rowCases,
  ...pageCases,
  ...conditionCases,
  ...countCases,
  ...commitCases,
  ...claimCases,
];
