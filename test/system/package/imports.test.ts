import { execFileSync } from "node:child_process";
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
      // The file that Node chooses by its conditions.
      else if (name.startsWith("#runtime/")) walk(`dist/runtime/${name.slice(9)}.js`);
      else if (name === "#zod") walk("dist/zod.js");
      else if (!isBuiltin(name)) packages.add(name);
    }
  };
  walk(entry);
  return { files, packages };
}

const kilobytes = (files: Set<string>): number =>
  Math.round([...files].reduce((sum, file) => sum + statSync(file).size, 0) / 1024);

const budgets: Record<string, { kb: number; packages: readonly string[] }> = {
  "dist/index.js": { kb: 240, packages: ["mitt"] },
  "dist/express.js": { kb: 8, packages: ["srvx/node"] },
  "dist/client.js": { kb: 20, packages: ["ofetch"] },
};

it.each(Object.entries(budgets))("%s loads within its budget", (entry, { kb, packages }) => {
  const found = loaded(entry);
  console.log(`${entry}: ${kilobytes(found.files)} KB, ${[...found.packages].sort().join(", ")}`);
  expect([...found.packages].sort()).toEqual(packages);
  expect(kilobytes(found.files)).toBeLessThanOrEqual(kb);
});

it("openapi() returns the same text before the table of routes is loaded as after", () => {
  const script = `
    import { createFormBackend, memoryStorage } from "form-backend";
    const backend = createFormBackend({
      baseUrl: "https://forms.example.com/a",
      brand: { name: "Acme", keyPrefix: "acme_" },
      oauth: { issuer: "https://login.example.com/", audience: "forms" },
      secret: "a secret for tests that is long enough",
      storage: memoryStorage(),
      work: false,
    });
    const before = JSON.stringify(backend.openapi());
    await backend.ready();
    console.log(before.length, before === JSON.stringify(backend.openapi()));
    await backend.close();`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(said).toMatch(/^[1-9]\d{4,} true\n$/);
});
