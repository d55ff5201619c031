// Cuts a release from the changelog: `npm run release`, or `npm run release -- 0.2.0`. It dates the changelog, sets the version, commits and
// tags, and prints the notes. It pushes nothing. `--dry-run` prints what it would do, and changes nothing.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { cut, FILES } from "./cut.mjs";
import { faultsOf } from "./published.mjs";

const root = new URL("../", import.meta.url);
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { "dry-run": { type: "boolean", default: false }, day: { type: "string" } },
  });
  if (positionals.length > 1) throw new Error(`one version is expected, not ${positionals.join(" ")}`);
  const release = cut({
    files: Object.fromEntries(FILES.map((file) => [file, readFileSync(new URL(file, root), "utf8")])),
    version: positionals[0],
    day: values.day ?? new Date().toISOString().slice(0, 10),
  });
  const tag = `v${release.version}`;
  const faults = [
    ...faultsOf({ manifest: release.files["package.json"], changelog: release.files["CHANGELOG.md"], dryRun: false }),
    ...(git("status", "--porcelain") === "" ? [] : ["there are changes that are not committed"]),
    ...(git("tag", "--list", tag) === "" ? [] : [`the tag ${tag} exists`]),
  ];
  console.log(`${release.notes}\n`);
  if (values["dry-run"]) {
    console.log(`Would change ${FILES.join(", ")}, commit "Release ${release.version}" and tag ${tag}.`);
    for (const fault of faults) console.log(`It would be refused: ${fault}`);
  } else if (faults.length > 0) {
    throw new Error(faults.join("\n"));
  } else {
    for (const [file, text] of Object.entries(release.files)) writeFileSync(new URL(file, root), text);
    git("commit", "--all", "--message", `Release ${release.version}`);
    git("tag", "--annotate", tag, "--message", tag);
    console.log(`${tag} is tagged. To publish it: git push --follow-tags`);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
