import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build, type Options } from "tsup";
import { atEndOfFile } from "./cleanup.ts";

const root = resolve(import.meta.dirname, "../..");

/** Builds a TypeScript file with all of ours that it imports, for a child process or a browser; answers where the result lies. */
export async function bundle(entry: string, options: Options = {}): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "form-backend-bundle-"));
  atEndOfFile(() => rmSync(directory, { recursive: true, force: true }));
  symlinkSync(join(root, "node_modules"), join(directory, "node_modules"), "dir");
  writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
  await build({
    config: false,
    silent: true,
    entry: { app: resolve(root, entry) },
    outDir: join(directory, "out"),
    format: "esm",
    target: "node20",
    skipNodeModulesBundle: true,
    ...options,
  });
  return join(directory, "out/app.js");
}
