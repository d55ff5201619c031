import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { temporaryDirectory } from "../../../_support/temporary.ts";

const root = resolve(import.meta.dirname, "../../../..");

/**
 * A directory with the storage drivers as plain JavaScript, for child processes; `engine: false` = where no SQLite package can be
 * imported, `"partial"` = where a bundler has copied it without its native file.
 */
export function compileDrivers({ engine = true }: { readonly engine?: boolean | "partial" } = {}): string {
  const out = temporaryDirectory();
  if (engine === "partial") {
    for (const name of ["@photostructure/sqlite", "node-gyp-build"]) {
      const inside = ["package.json", "dist", "index.js", "node-gyp-build.js"];
      for (const part of inside) {
        const from = join(root, "node_modules", name, part);
        if (existsSync(from)) cpSync(from, join(out, "node_modules", name, part), { recursive: true });
      }
    }
  } else if (engine) {
    symlinkSync(join(root, "node_modules"), join(out, "node_modules"), "dir");
  } else {
    const shadow = join(out, "node_modules/@photostructure/sqlite");
    mkdirSync(shadow, { recursive: true });
    writeFileSync(join(shadow, "package.json"), '{ "name": "@photostructure/sqlite", "exports": {} }');
  }
  writeFileSync(join(out, "package.json"), '{ "type": "module" }');
  for (const folder of ["drivers/storage", "drivers/blob", "lib", "model"]) {
    const files = readdirSync(join(root, "src", folder), { recursive: true, encoding: "utf8" });
    for (const file of files.filter((name) => name.endsWith(".ts"))) {
      mkdirSync(dirname(join(out, folder, file)), { recursive: true });
      const { outputText } = ts.transpileModule(readFileSync(join(root, "src", folder, file), "utf8"), {
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          rewriteRelativeImportExtensions: true,
        },
      });
      writeFileSync(join(out, folder, file.replace(/\.ts$/, ".js")), outputText);
    }
  }
  return out;
}
