// Links of the published README lead to the repository. npm packs the file as it is, so it is changed before and restored after.
import { readFileSync, writeFileSync } from "node:fs";
import { absolute, isNamed, relative } from "./published.mjs";

const readme = new URL("../README.md", import.meta.url);
const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
const change = process.argv.includes("--restore") ? relative : absolute;
if (isNamed(manifest)) writeFileSync(readme, change(readFileSync(readme, "utf8"), manifest));
