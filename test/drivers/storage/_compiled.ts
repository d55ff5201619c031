import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(import.meta.dirname, "../../..");

/** A directory with the storage drivers as plain JavaScript, for child processes; `linked` = with the installed packages. */
export function compileDrivers({ linked = true } = {}): string {
  const out = mkdtempSync(join(tmpdir(), "form-backend-compiled-"));
  if (linked) symlinkSync(join(root, "node_modules"), join(out, "node_modules"), "dir");
  writeFileSync(join(out, "package.json"), '{ "type": "module" }');
  for (const folder of ["drivers/storage", "lib"]) {
    mkdirSync(join(out, folder), { recursive: true });
    for (const file of readdirSync(join(root, "src", folder)).filter((name) => name.endsWith(".ts"))) {
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
