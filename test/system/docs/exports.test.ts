import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { server } from "../../../tsup.config.ts";
import { root } from "./_blocks.ts";

const page = readFileSync(join(root, "docs/reference/exports.md"), "utf8");
/** For pages. */
const pages = Object.fromEntries(["react", "vue", "svelte"].map((name) => [name, `src/surfaces/browser/${name}.ts`]));
// The command line alone loads them; the others stand for an entry where its runtime is another.
const { "mcp-stdio": _, errors: __, "cloudflare-elsewhere": ___, ...all } = server.entry as Record<string, string>;
const published = Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith("runtime/")));
const entries = { ...published, browser: "src/surfaces/browser/index.ts", ...pages };

/** The names that each entry of the package exports, types included. */
function exportedNames(): Map<string, string[]> {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const files = Object.values(entries).map((file) => join(root, file));
  const program = ts.createProgram(files, { ...options, lib: ["lib.es2023.d.ts", "lib.dom.d.ts"] });
  const checker = program.getTypeChecker();
  return new Map(
    Object.entries(entries).map(([entry, file]) => {
      const source = program.getSourceFile(join(root, file));
      const module = source && checker.getSymbolAtLocation(source);
      return [entry, module ? checker.getExportsOfModule(module).map(({ name }) => name) : []];
    }),
  );
}

describe("docs/reference/exports.md", () => {
  it("names whatever an entry exports", { timeout: 120_000 }, () => {
    const names = exportedNames();
    expect([...names].filter(([, list]) => list.length === 0)).toEqual([]);
    const told = new Set([...page.matchAll(/`(\w+)[^`]*`/g)].map(([, name]) => name));
    const silent = [...names].flatMap(([entry, list]) =>
      list.filter((name) => name !== "default" && !told.has(name)).map((name) => `${entry}: ${name}`),
    );
    expect(silent).toEqual([]);
  });

  it("names every entry", () => {
    const path = (entry: string): string =>
      entry.startsWith("drivers/")
        ? entry.slice("drivers/".length)
        : `form-backend/${entry}`.replace("nuxt/module", "nuxt");
    const missing = Object.keys(entries).filter((entry) => entry !== "index" && !page.includes(`\`${path(entry)}\``));
    expect(missing).toEqual([]);
  });

  it("has the type of everything that a call in process answers", () => {
    const calls = readFileSync(join(root, "docs/reference/in-process.md"), "utf8");
    const index = readFileSync(join(root, "src/index.ts"), "utf8");
    const answers = [...calls.matchAll(/^\| `[^|]+` \| ([^|]+) \|/gm)].map(([, answer = ""]) => answer);
    const names = new Set(answers.flatMap((answer) => answer.match(/\b[A-Z]\w+/g) ?? []));
    const platform = ["ReadableStream", "Response", "Uint8Array"];
    expect(names.size).toBeGreaterThan(30);
    expect([...names].filter((name) => !platform.includes(name) && !new RegExp(`\\b${name}\\b`).test(index))).toEqual(
      [],
    );
  });
});
