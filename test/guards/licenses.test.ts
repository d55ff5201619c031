import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (file: string): string => readFileSync(file, "utf8");
const manifest = JSON.parse(read("package.json")) as Record<
  "dependencies" | "devDependencies" | "peerDependencies",
  Record<string, string>
>;
const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };

/** Where npm put what a package asks for: in its own folder, or in one above it. */
function located(from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    const path = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[path]) return path;
    if (folder === "") throw new Error(`package-lock.json has no ${name}`);
  }
}

/** Every package that an install brings along. */
function installed(): string[] {
  const reached = new Set<string>();
  const walk = (from: string, names: readonly string[]): void => {
    for (const path of names.map((name) => located(from, name))) {
      if (reached.has(path)) continue;
      reached.add(path);
      walk(path, Object.keys(packages[path]?.dependencies ?? {}));
    }
  };
  walk("", Object.keys(manifest.dependencies));
  return [...reached].sort();
}

/** Packages whose code is part of `dist`: those that are only needed to build, and zod, whose declarations alone are needed later. */
function bundled(): string[] {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const imported = files.flatMap((file) =>
    [...read(join("src", file)).matchAll(/^(?:import|export)(?! type)[^"]*?from "([^".][^"]*)"/gm)].map(
      ([, name = ""]) => name,
    ),
  );
  const known = { ...manifest.dependencies, ...manifest.peerDependencies };
  const built = [...new Set(imported)].filter((name) => name in manifest.devDependencies && !(name in known));
  return [...built, "zod"].sort();
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
const licenseOf = (path: string): string => packages[path]?.license ?? "unknown";
const table = (paths: readonly string[]): string =>
  [
    "| Package | License |",
    "|---|---|",
    ...new Set(paths.map((path) => `| \`${nameOf(path)}\` | ${licenseOf(path)} |`)),
  ].join("\n");

function text(name: string): string {
  const file = readdirSync(join("node_modules", name)).find((entry) => /^licen[cs]e/i.test(entry));
  return `### ${name}\n\n\`\`\`text\n${read(join("node_modules", name, file ?? "")).trim()}\n\`\`\``;
}

describe("licenses", () => {
  it("of all that an install brings, and the notices of bundled code, are in THIRD-PARTY-LICENSES.md", async () => {
    const peers = Object.keys(manifest.peerDependencies).map((name) => located("", name));
    const page = `# Licenses of other packages

form-backend itself has the MIT license. A test writes this page from the lock file.

## Installed with it

${table(installed())}

## Optional

You install these yourself if you use the feature that needs them.

${table(peers.sort())}

## Part of the package

The code of these packages is bundled into files of \`dist\`.

${bundled().map(text).join("\n\n")}
`;
    await expect(page).toMatchFileSnapshot(resolve("THIRD-PARTY-LICENSES.md"));
  });

  it("let anyone use the package for anything", () => {
    const all = [...installed(), ...bundled().map((name) => located("", name))];
    expect(all.length).toBeGreaterThan(20);
    const permissive = ["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"];
    expect(all.filter((path) => !permissive.includes(licenseOf(path)))).toEqual([]);
  });

  it("are published with the package", () => {
    expect(JSON.parse(read("package.json")).files).toContain("THIRD-PARTY-LICENSES.md");
    expect(bundled()).toEqual(expect.arrayContaining(["commander", "idiomorph", "zod"]));
  });
});
