// @ts-check
// The script and the style sheet of the inbox as a module of strings: a plugin for esbuild (tsup) and one for Vite (Vitest).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

// Not `import.meta.dirname`: tsup bundles this file into one at the root, and keeps only the URL.
const inbox = fileURLToPath(new URL("../src/surfaces/inbox", import.meta.url));
const MODULE = /[\\/]src[\\/]surfaces[\\/]inbox[\\/]bundled\.ts$/;

/** The source of the module that takes the place of `src/surfaces/inbox/bundled.ts`. */
async function source() {
  const { outputFiles } = await build({
    entryPoints: [join(inbox, "client/index.ts")],
    bundle: true,
    write: false,
    minify: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    tsconfigRaw: {},
  });
  const sheets = readdirSync(join(inbox, "style"))
    .filter((name) => name.endsWith(".css"))
    .sort();
  const css = sheets.map((name) => readFileSync(join(inbox, "style", name), "utf8")).join("\n");
  const { code } = await transform(css, {
    loader: "css",
    minify: true,
    charset: "utf8",
    target: ["chrome111", "safari16.4", "firefox113"],
  });
  const bundled = {
    css: { type: "text/css; charset=utf-8", body: code.trim() },
    js: { type: "text/javascript; charset=utf-8", body: outputFiles[0]?.text.trim() ?? "" },
  };
  return `export const bundled = ${JSON.stringify(bundled)};`;
}

/** @type {import("esbuild").Plugin} */
export const esbuildInboxAssets = {
  name: "inbox-assets",
  setup: (build) => build.onLoad({ filter: MODULE }, async () => ({ contents: await source(), loader: "js" })),
};

export const viteInboxAssets = {
  name: "inbox-assets",
  /** @param {string} id */
  load: async (id) => (MODULE.test(id.split("?", 1)[0] ?? "") ? source() : null),
};
