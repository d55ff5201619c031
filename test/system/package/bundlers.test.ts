import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { ROOT } from "../../_support/install.ts";

const dist = join(ROOT, "dist");
const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
const plain = new Set(builtinModules);

it("every import of a module of Node says node:, which all bundlers know", () => {
  const named = files.flatMap((file) =>
    [...readFileSync(join(dist, file), "utf8").matchAll(/^(?:import|export)\b[^'"();]*?"([^"]+)";?$/gm)].map(
      ([, name = ""]) => ({ file, name }),
    ),
  );
  expect(named.filter(({ name }) => name.startsWith("node:")).length).toBeGreaterThan(20);
  expect(named.filter(({ name }) => plain.has(name) && !name.startsWith("node:"))).toEqual([]);
});

it("a bundler has nothing to warn of", async () => {
  const entries = ["index", "inbox", "mcp", "express", "nitro", "drivers/storage/sqlite", "drivers/storage/postgres"];
  const { warnings, outputFiles } = await build({
    stdin: { contents: entries.map((name) => `export * from "./${name}.js";`).join("\n"), resolveDir: dist },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    write: false,
    logLevel: "silent",
  });
  expect(outputFiles[0]?.text).toContain("createFormBackend");
  expect(warnings.map(({ text }) => text)).toEqual([]);
});

it("no file names a map of sources that are not in the package", () => {
  expect(readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".map"))).toEqual([]);
  expect(files.filter((file) => readFileSync(join(dist, file), "utf8").includes("\n//# sourceMappingURL="))).toEqual(
    [],
  );
});
