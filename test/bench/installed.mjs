// Packages that are no part of this repository, installed by npm for the run only.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { note } from "./table.mjs";

/** Installs a package into a folder of its own; resolves to a module that exports all of it, and its default. */
export async function installed(name, into) {
  note(`  installing ${name} …`);
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, "package.json"), '{ "private": true }');
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", name];
  await promisify(execFile)("npm", args, { cwd: into, timeout: 300_000 });
  const entry = join(into, "entry.mjs");
  const from = JSON.stringify(name.replace(/(.)@.*/, "$1"));
  writeFileSync(entry, `import * as all from ${from};\nexport * from ${from};\nexport default all.default;\n`);
  return entry;
}

let boss;

/** pg-boss for its rivals' apps; null, and the reason in `services.missing`, where npm can't install it. */
export function withPgBoss({ dir, services }) {
  // The newest version that runs on the Node versions that we support.
  boss ??= installed("pg-boss@10", join(dir, "pg-boss")).catch((error) => {
    services.missing["pg-boss"] =
      `npm can't install pg-boss (${/npm error (.*)/.exec(error.stderr ?? "")?.[1] ?? error.message})`;
    return null;
  });
  return boss;
}
