import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Log, LogLevel, Miniflare } from "miniflare";
import { ROOT } from "../_support/install.ts";

/** An app that is built into a Worker: what its author writes and runs, and where the Worker is then. */
export interface WorkerApp {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** A program below `node_modules`, with what it is passed. */
  readonly build: readonly string[];
}

/** The blocks of the page about Cloudflare that have a name. */
function page(): Record<string, string> {
  const text = readFileSync(join(ROOT, "docs/hosts/cloudflare.md"), "utf8");
  const blocks = text.matchAll(/^```\w+ \[([\w./-]+)\]\n([\s\S]*?)^```$/gm);
  return Object.fromEntries([...blocks].map(([, file = "", code = ""]) => [file, code]));
}

/** The page's files for Nuxt, and those of an app that uses Nitro alone. */
export function workerApps(): Readonly<Record<string, WorkerApp>> {
  const {
    "cloudflare.mjs": worker = "",
    "nuxt.config.ts": nuxt = "",
    "nitro.config.ts": nitro = "",
    "wrangler.jsonc": wrangler = "",
    "server/api/contact-form.get.js": route = "",
    "app/app.vue": vue = "",
  } = page();
  const own = { "cloudflare.mjs": worker, "wrangler.jsonc": wrangler };
  return {
    "Nuxt, preset cloudflare-module": {
      dependencies: { nuxt: "4.4.5" },
      files: { ...own, "nuxt.config.ts": nuxt, "server/api/contact-form.get.js": route, "app/app.vue": vue },
      build: ["nuxt/bin/nuxt.mjs", "build"],
    },
    "Nitro 2, preset cloudflare-module": {
      dependencies: { nitropack: "2.13.6" },
      files: {
        ...own,
        "nitro.config.ts": nitro,
        "api/contact-form.get.js": `import { defineEventHandler } from "h3";\n${route}`,
        "routes/index.js": `import { defineEventHandler } from "h3";

export default defineEventHandler(async (event) => {
  const { endpoint } = await event.$fetch("/api/contact-form");
  return new Response(\`<form method="post" action="\${endpoint}"><input name="email"></form>\`, { headers: { "content-type": "text/html" } });
});
`,
      },
      build: ["nitropack/dist/cli/index.mjs", "build"],
    },
  };
}

interface Config {
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly durable_objects: { readonly bindings: readonly { readonly name: string; readonly class_name: string }[] };
  readonly migrations: readonly { readonly new_sqlite_classes: readonly string[] }[];
}

/** Runs what a build has left in `.output`, as its `wrangler.json` says. */
export function startBuilt(dir: string, bindings: Record<string, string>): Miniflare {
  const root = join(dir, ".output/server");
  const config = JSON.parse(readFileSync(join(root, "wrangler.json"), "utf8")) as Config;
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => /\.m?js$/.test(file));
  files.sort((a, b) => Number(b === "index.mjs") - Number(a === "index.mjs"));
  const classes = new Set(config.migrations.flatMap(({ new_sqlite_classes }) => new_sqlite_classes));
  return new Miniflare({
    modulesRoot: root,
    modules: files.map((file) => ({
      type: "ESModule",
      path: join(root, file),
      contents: readFileSync(join(root, file), "utf8"),
    })),
    compatibilityDate: config.compatibility_date,
    compatibilityFlags: [...config.compatibility_flags],
    bindings,
    durableObjects: Object.fromEntries(
      config.durable_objects.bindings.map(({ name, class_name }) => [
        name,
        { className: class_name, useSQLite: classes.has(class_name) },
      ]),
    ),
    cf: false,
    log: new Log(LogLevel.ERROR),
  });
}
