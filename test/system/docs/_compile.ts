import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import ts from "typescript";
import { type Block, root, whereIs } from "./_blocks.ts";

/** TypeScript 7 compiles the sources in a tenth of the time of version 5, which parses single blocks below. */
const TSC = join(root, "node_modules/typescript-7/bin/tsc");

/** Compiler options of a host's project. */
const options = {
  allowJs: true,
  checkJs: true,
  lib: ["es2023", "es2024.string", "dom", "dom.iterable", "dom.asynciterable"],
  exactOptionalPropertyTypes: false,
  noUncheckedIndexedAccess: false,
  verbatimModuleSyntax: false,
  paths: {},
};

/** The entries of the package whose types the presumed names have. */
const entries: readonly (readonly [source: string, entry: string])[] = [
  ["index", "form-backend"],
  ["surfaces/client/index", "form-backend/client"],
  ["surfaces/cloudflare/bindings", "form-backend/cloudflare"],
];

/** A file of presumed names, with the built package in place of the sources, which would be checked as well. */
const ofPackage = (file: string): string =>
  entries.reduce(
    (text, [source, entry]) => text.replaceAll(`"../../../src/${source}.ts"`, `"${entry}"`),
    readFileSync(file, "utf8"),
  );

/** JavaScript says less of itself, so less can be asked of it. */
const loose = { strict: false, noImplicitAny: false, strictNullChecks: false };

/**
 * Compiles every block as a module of its own that uses the package as it was built, and answers what is wrong with it. `names` declares
 * what pages presume.
 */
export async function compile(blocks: readonly Block[], names: readonly string[]): Promise<string[]> {
  const of = (language: string): Block[] => blocks.filter((block) => block.language === language);
  return [...(await check(of("ts"), names, {})), ...(await check(of("js"), names, loose))];
}

async function check(blocks: readonly Block[], names: readonly string[], more: object): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "form-backend-blocks-"));
  try {
    // Packages are found as an app finds them that has installed the library, as it was built, and all that the library has.
    mkdirSync(join(folder, "node_modules"));
    for (const name of readdirSync(join(root, "node_modules"))) {
      symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
    }
    symlinkSync(root, join(folder, "node_modules/form-backend"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const files = new Map(blocks.map((block, at) => [`block-${at}.${block.language}`, block]));
    for (const [name, { code }] of files) writeFileSync(join(folder, name), `${code}\nexport {};\n`);
    for (const name of names) writeFileSync(join(folder, basename(name)), ofPackage(name));
    const project = {
      extends: join(root, "tsconfig.json"),
      compilerOptions: { ...options, ...more },
      files: [...files.keys(), ...names.map((name) => basename(name))],
      include: [],
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
    const { code, output } = await tsc(folder);
    // A fault of the project itself names no block, and without a word every block is sound.
    const found = output
      .split(/\n(?=\S)/)
      .map((fault) => fault.trim())
      .filter((fault) => fault !== "");
    if (code !== 0 && found.length === 0) throw new Error(`tsc ended with ${code} and said nothing`);
    return found.map((fault) => {
      const [, name = "", line = "", words = fault] = /^([^(\n]+)\((\d+),\d+\): error ([\s\S]+)$/.exec(fault) ?? [];
      const block = files.get(basename(name));
      return block ? `${block.page}:${block.line + Number(line) - 1} ${words.replaceAll(/\s+/g, " ")}` : fault;
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tsc = (folder: string): Promise<{ code: number | string; output: string }> =>
  new Promise((resolve) =>
    execFile(process.execPath, [TSC, "-p", folder, "--pretty", "false"], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  );

/** Whether it parses, for what needs a framework that is not installed here. */
export function parseFaults(block: Block): string[] {
  const code = ["vue", "svelte"].includes(block.language)
    ? (/<script[^>]*>([\s\S]*?)<\/script>/.exec(block.code)?.[1] ?? "")
    : block.code;
  if (code.trim() === "") return [`${whereIs(block)} holds no script`];
  const { diagnostics = [] } = ts.transpileModule(code, {
    fileName: "block.tsx",
    reportDiagnostics: true,
    compilerOptions: { jsx: ts.JsxEmit.Preserve, target: ts.ScriptTarget.ES2022 },
  });
  return diagnostics.map(({ messageText }) => `${whereIs(block)} ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
}
