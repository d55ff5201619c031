import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { browser, hooks } from "../../../../tsup.config.ts";
import { browserScript } from "../../../_support/browser-script.ts";
import { bundle } from "../../../_support/bundle.ts";

const KB = 1024;
const bytesOf = (path: string): number => gzipSync(readFileSync(path), { level: 9 }).length;

/** A file of `src/surfaces/browser`, built as the package has it. */
function built(name: string): Promise<string> {
  const options = name === "react" || name === "vue" || name === "svelte" ? hooks(name) : browser;
  const { entry: _, dts: __, ...rest } = options;
  return bundle(`src/surfaces/browser/${name}.ts`, { ...rest, skipNodeModulesBundle: false });
}

describe("form-backend/browser as built", () => {
  let path: string;
  let source: string;
  beforeAll(async () => {
    path = await browserScript();
    source = readFileSync(path, "utf8");
  });

  it("takes at most 5.2 KB gzipped, drafts and direct uploads and all", () => {
    const bytes = bytesOf(path);
    expect(bytes).toBeGreaterThan(500);
    expect(bytes).toBeLessThanOrEqual(5.2 * KB);
  });

  it("is one file that imports nothing", () => {
    expect(source).not.toMatch(/\bimport\s*[("'{*]|\brequire\s*\(|node:/);
  });

  it("can be imported where there is no page, as a server that renders one does", async () => {
    expect(Object.keys(await import(path))).toEqual([
      "createSubmitter",
      "enhance",
      "submitForm",
      "toFieldErrors",
      "valuesOf",
    ]);
  });
});

describe("the core and the hooks as built", () => {
  let core: number;
  beforeAll(async () => {
    core = bytesOf(await built("core"));
  });

  it("needs at most 2 KB gzipped for submitForm, and nothing of a page", async () => {
    expect(core).toBeGreaterThan(500);
    expect(core).toBeLessThanOrEqual(2 * KB);
    expect(readFileSync(await built("core"), "utf8")).not.toMatch(/\bdocument\b|\bwindow\b/);
  });

  for (const name of ["react", "vue"]) {
    it(`adds at most 1.2 KB for ${name}`, async () => {
      expect(bytesOf(await built(name)) - core).toBeLessThanOrEqual(1.2 * KB);
    });
  }

  it("adds at most 1.2 KB for Svelte's store, and 1.6 with the action, which writes errors into the page itself", async () => {
    const { entry: _, dts: __, ...rest } = hooks("svelte");
    const store = await bundle("test/services/surfaces/browser/apps/svelte-store-only.mjs", {
      ...rest,
      skipNodeModulesBundle: false,
    });
    expect(bytesOf(store) - core).toBeLessThanOrEqual(1.2 * KB);
    expect(bytesOf(await built("svelte")) - core).toBeLessThanOrEqual(1.6 * KB);
  });

  it("says first that React's is for the client, and imports the framework alone", async () => {
    expect(readFileSync(await built("react"), "utf8").split("\n")[0]).toMatch(/^"use client";/);
    for (const [name, others] of Object.entries({ react: ["react"], vue: ["vue"], svelte: [] })) {
      const source = readFileSync(await built(name), "utf8");
      expect([...source.matchAll(/\bfrom\s*"([^"]+)"/g)].map(([, module]) => module)).toEqual(others);
    }
  });
});
