// npm run repository -- owner/name: writes the address of the repository into package.json, into the link to report a vulnerability, and into the
// button that deploys examples/cloudflare.
import { readFileSync, writeFileSync } from "node:fs";
import { withDeployButton, withRepository } from "./published.mjs";

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
  const example = file("examples/cloudflare/README.md");
  writeFileSync(example, withDeployButton(readFileSync(example, "utf8"), asked));
} catch (error) {
  console.error(`Usage: npm run repository -- owner/name\n${error.message}`);
  process.exit(1);
}
