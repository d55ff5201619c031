// @ts-check
// The build: migrates the database, makes the form if it is not there, and writes the static page with its address.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { backend, contact } from "./forms.mjs";

const { endpoint } = await contact();
await backend.close();
const page = readFileSync(new URL("page.html", import.meta.url), "utf8").replace("{{endpoint}}", endpoint);
const folder = new URL("public/", import.meta.url);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL("index.html", folder), page);
console.log(`public/index.html posts to ${endpoint}`);
