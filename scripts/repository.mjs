// npm run repository -- owner/name: writes the address of the repository into package.json, and into the link to report a vulnerability.
import { readFileSync, writeFileSync } from "node:fs";
import { withRepository } from "./published.mjs";

const file = (name) => new URL(`../${name}`, import.meta.url);
const asked = process.argv[2] ?? "";
try {
  const manifest = readFileSync(file("package.json"), "utf8");
  const changed = withRepository(manifest, asked);
  writeFileSync(file("package.json"), changed);
  const links = file(".github/ISSUE_TEMPLATE/config.yml");
  writeFileSync(
    links,
    readFileSync(links, "utf8").replace(/github\.com\/[\w.-]+\/[\w.-]+\/security/, `github.com/${asked}/security`),
  );
} catch (error) {
  console.error(`Usage: npm run repository -- owner/name\n${error.message}`);
  process.exit(1);
}
