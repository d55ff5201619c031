// Before a publish: the changelog's newest heading must be this version, with its day.
import { readFileSync } from "node:fs";

const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), "utf8");
const { version } = JSON.parse(read("package.json"));
const [, heading = ""] = /^## (.+)$/m.exec(read("CHANGELOG.md")) ?? [];
const [, named, day] = /^(\S+) – (\d{4}-\d{2}-\d{2})$/.exec(heading) ?? [];
if (named !== version || !day) {
  console.error(`CHANGELOG.md begins with "${heading}"; before a release it says "${version} – YYYY-MM-DD".`);
  process.exit(1);
}
