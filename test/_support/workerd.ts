import { existsSync } from "node:fs";
import { builtinModules } from "node:module";
import { resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { Log, LogLevel, Miniflare, type MiniflareOptions } from "miniflare";
import { esbuildInboxAssets } from "../../scripts/inbox-assets.mjs";

/** The compatibility date of the pages and the example. */
export const COMPATIBILITY_DATE = "2026-04-01";

/** Modules of Node by their full names, however a package asks for them. */
const node: Plugin = {
  name: "node",
  setup: (build) =>
    build.onResolve({ filter: /^(node:)?[a-z_]+(\/\w+)?$/ }, ({ path }) => {
      const name = path.replace(/^node:/, "");
      return builtinModules.includes(name) || name === "sqlite" ? { path: `node:${name}`, external: true } : undefined;
    }),
};

/** What the export condition `workerd` does for the built package. */
const runtimes: Plugin = {
  name: "runtimes",
  setup: (build) =>
    build.onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path).replace(/\.ts$/, ".workerd.ts");
      return existsSync(file) ? { path: file } : null;
    }),
};

/** Packages that hosts install themselves, and that no Worker uses. */
const EXTERNAL = [
  "nodemailer",
  "pg",
  "mysql2",
  "mysql2/promise",
  "bullmq",
  "ioredis",
  "jiti",
  "@photostructure/sqlite",
];

/** Bundles an entry for Workers, as wrangler does: one file, with the modules of Node left out. */
export async function bundleWorker(
  entry: { readonly file: string } | { readonly code: string },
  { minify = false, mcp = false, ...more }: { minify?: boolean; conditions?: string[]; mcp?: boolean } = {},
): Promise<string> {
  const from =
    "file" in entry
      ? { entryPoints: [entry.file] }
      : { stdin: { contents: entry.code, resolveDir: process.cwd(), loader: "ts" as const } };
  const { outputFiles } = await build({
    ...from,
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: more.conditions ?? ["workerd", "worker", "browser", "import"],
    minify,
    charset: "utf8",
    legalComments: "none",
    logLevel: "error",
    // Packages in CommonJS ask for modules of Node by `require`.
    banner: {
      js: 'import { createRequire as workerRequire } from "node:module"; const require = workerRequire("/worker.js");',
    },
    external: [...EXTERNAL, "cloudflare:*", "@opentelemetry/api", ...(mcp ? [] : ["@modelcontextprotocol/*"])],
    plugins: [node, runtimes, esbuildInboxAssets as Plugin],
  });
  return outputFiles[0]?.text ?? "";
}

/** Starts workerd with one Worker. */
export function startWorkerd(code: string, options: Partial<MiniflareOptions> = {}): Miniflare {
  return new Miniflare({
    modules: [{ type: "ESModule", path: "worker.js", contents: code }],
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ["nodejs_compat"],
    cf: false,
    log: new Log(LogLevel.ERROR),
    ...options,
  } as MiniflareOptions);
}
