// npm run repository -- owner/name: writes the address of the repository into package.json.
import { readFileSync, writeFileSync } from "node:fs";
import { withRepository } from "./published.mjs";

const file = new URL("../package.json", import.meta.url);
try {
  writeFileSync(file, withRepository(readFileSync(file, "utf8"), process.argv[2] ?? ""));
} catch (error) {
  console.error(`Usage: npm run repository -- owner/name\n${error.message}`);
  process.exit(1);
}
