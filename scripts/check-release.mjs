// Before a publish: a version with its day, and a repository that links lead to. npm runs it, also in a dry run.
import { readFileSync } from "node:fs";
import { faultsOf } from "./published.mjs";

const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const faults = faultsOf({
  manifest: read("package.json"),
  changelog: read("CHANGELOG.md"),
  dryRun: process.env.npm_config_dry_run === "true",
});
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
