// @ts-check
// Runs the Worker in Cloudflare's own runtime on this machine, with the clone's form-backend: `npm run example cloudflare`.
// In an app of your own, `npm run dev` does the same by wrangler.
import { readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { Log, LogLevel, Miniflare } from "miniflare";

const port = Number(process.env.PORT ?? 3000);
const data = process.env.DATA_DIR ?? "data";
const file = (name) => join(import.meta.dirname, name);
const config = JSON.parse(
  readFileSync(file("wrangler.jsonc"), "utf8")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/,(\s*})/g, "$1"),
);

// As wrangler bundles a Worker: one file, with the modules of Node left to the runtime.
const { outputFiles } = await build({
  entryPoints: [file(config.main)],
  bundle: true,
  write: false,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  mainFields: ["module", "main"],
  conditions: ["workerd", "worker", "browser"],
  logLevel: "error",
  banner: {
    js: 'import { createRequire as workerRequire } from "node:module"; const require = workerRequire("/worker.js");',
  },
  external: ["cloudflare:*", "node:*", ...optional()],
  alias: Object.fromEntries(
    builtinModules.filter((name) => !name.startsWith("node:")).map((name) => [name, `node:${name}`]),
  ),
});

const miniflare = new Miniflare({
  port,
  modules: [{ type: "ESModule", path: "worker.js", contents: outputFiles[0]?.text ?? "" }],
  compatibilityDate: config.compatibility_date,
  compatibilityFlags: config.compatibility_flags,
  assets: {
    directory: file(config.assets.directory),
    assetConfig: { not_found_handling: config.assets.not_found_handling },
    routerConfig: { has_user_worker: true, static_routing: { user_worker: config.assets.run_worker_first } },
  },
  bindings: {
    ...config.vars,
    SITE: `http://localhost:${port}`,
    FORM_BACKEND_SECRET: process.env.FORM_BACKEND_SECRET ?? "only for this machine: 9f86d081884c7d65",
  },
  durableObjects: Object.fromEntries(
    config.durable_objects.bindings.map(({ name, class_name }) => [name, { className: class_name, useSQLite: true }]),
  ),
  r2Buckets: config.r2_buckets.map(({ binding }) => binding),
  durableObjectsPersist: join(data, "objects"),
  r2Persist: join(data, "files"),
  cf: false,
  log: new Log(LogLevel.WARN),
});
await miniflare.ready;
console.log(`Listening on http://localhost:${port}`);

/** Packages that other drivers load where they are installed. */
function optional() {
  return ["nodemailer", "pg", "mysql2", "mysql2/*", "bullmq", "jiti", "@photostructure/sqlite", "@opentelemetry/api"];
}
