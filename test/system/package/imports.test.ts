import { readFileSync, statSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, normalize } from "node:path";
import { expect, it } from "vitest";

/** What an entry loads before any of its functions is called: files of the package, and packages. */
function loaded(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const walk = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const source = readFileSync(file, "utf8");
    for (const [, name = ""] of source.matchAll(/^(?:import|export)\b(?:[^'";()=]*?\bfrom)?\s*"([^"]+)"/gm)) {
      if (name.startsWith(".")) walk(normalize(join(dirname(file), name)));
      else if (!isBuiltin(name)) packages.add(name);
    }
  };
  walk(entry);
  return { files, packages };
}

const kilobytes = (files: Set<string>): number =>
  Math.round([...files].reduce((sum, file) => sum + statSync(file).size, 0) / 1024);

const budgets: Record<string, { kb: number; packages: readonly string[] }> = {
  "dist/index.js": { kb: 105, packages: ["mitt"] },
  "dist/express.js": { kb: 8, packages: ["srvx/node"] },
  "dist/client.js": { kb: 20, packages: ["ofetch"] },
};

it.each(Object.entries(budgets))("%s loads within its budget", (entry, { kb, packages }) => {
  const found = loaded(entry);
  console.log(`${entry}: ${kilobytes(found.files)} KB, ${[...found.packages].sort().join(", ")}`);
  expect([...found.packages].sort()).toEqual(packages);
  expect(kilobytes(found.files)).toBeLessThanOrEqual(kb);
});
