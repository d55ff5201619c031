import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, resolve } from "node:path";
import { defineConfig, type Options } from "tsup";
import { esbuildInboxAssets } from "./scripts/inbox-assets.mjs";
import { importsZod, makesZod } from "./scripts/used-zod.mjs";

/** Every driver and adapter file is an entry of its own, unless its name begins with `_` or it is shared by its folder. */
function entriesIn(folder: string, prefix: string, isEntry: (name: string) => boolean): Record<string, string> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && isEntry(file.slice(0, -3)));
  return Object.fromEntries(files.map((file) => [`${prefix}${file.slice(0, -3)}`, `${folder}/${file}`]));
}

const drivers = {
  storage: ["memory", "unstorage", "sqlite", "postgres", "mysql", "libsql", "d1"],
  mailer: ["memory", "log", "smtp", "resend", "postmark", "ses", "mailgun"],
  blob: ["memory", "unstorage", "fs", "s3"],
  queue: ["local", "bullmq", "postgres"],
};

/** For pages: one small file of its own, without anything of the server. */
export const browser: Options = {
  entry: { browser: "src/surfaces/browser/index.ts" },
  tsconfig: "src/surfaces/browser/tsconfig.json",
  format: "esm",
  platform: "browser",
  target: "es2022",
  dts: true,
  minify: true,
};

/** Drafts and statistics of the hooks. */
const extras: Options = { ...browser, entry: { "browser-extras": "src/surfaces/browser/extras.ts" }, dts: false };

/** The hooks: a file each, since a page has one framework, which its own bundler resolves. */
export const hooks = (name: "react" | "vue" | "svelte"): Options => ({
  ...browser,
  entry: { [name]: `src/surfaces/browser/${name}.ts` },
  external: ["react", "vue"],
  // A file of its own beside them, for the pages that ask for it.
  esbuildPlugins: [
    {
      name: "extras",
      setup: (build) =>
        build.onResolve({ filter: /^\.\/extras\.ts$/ }, () => ({ path: "./browser-extras.js", external: true })),
    },
  ],
  // A directive of the source does not survive bundling.
  ...(name === "react" && { banner: { js: '"use client";' } }),
});

/**
 * Files with a second one for Cloudflare Workers beside them, `<name>.workerd.ts`. Each of both is a file of `dist`, and the member
 * `imports` of package.json says which one a bundler or Node takes for `#runtime/<name>`.
 */
const runtimes: Record<string, string> = Object.fromEntries(
  ["src/lib/runtime/process", "src/features/webhooks/transport", "src/features/inbound/parse-reply"].flatMap((file) =>
    ["", ".workerd"].map((of) => [`runtime/${basename(file)}${of}`, `${file}${of}.ts`]),
  ),
);

const runtimeImports: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "runtimes",
  setup: (build) =>
    build.onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir, kind }) => {
      const file = resolve(resolveDir, path).replace(/\.ts$/, "");
      return kind !== "entry-point" && existsSync(`${file}.workerd.ts`)
        ? { path: `#runtime/${basename(file)}`, external: true }
        : null;
    }),
};

const serverEntries: Record<string, string> = {
  index: "src/index.ts",
  inbox: "src/surfaces/inbox/index.ts",
  inbound: "src/surfaces/inbound/index.ts",
  import: "src/surfaces/import/index.ts",
  mcp: "src/surfaces/mcp/index.ts",
  // For the command line alone, so that hosts do not load it.
  "mcp-stdio": "src/surfaces/mcp/stdio.ts",
  // For the command line alone, so that it has the ApiError of the other entries.
  errors: "src/errors.ts",
  testing: "src/surfaces/testing/index.ts",
  client: "src/surfaces/client/index.ts",
  cloudflare: "src/surfaces/cloudflare/index.ts",
  "cloudflare-elsewhere": "src/surfaces/cloudflare/elsewhere.ts",
  config: "src/surfaces/config/index.ts",
  "spam/akismet": "src/features/spam/akismet.ts",
  ...entriesIn("adapters", "", (name) => !name.startsWith("_")),
  ...entriesIn("src/texts/locales", "locales/", (name) => !name.startsWith("_")),
  "nuxt/module": "adapters/nuxt/module.ts",
  ...Object.assign(
    {},
    ...Object.entries(drivers).map(([port, names]) =>
      entriesIn(`src/drivers/${port}`, `drivers/${port}/`, (name) => names.includes(name)),
    ),
  ),
};

/**
 * Declarations are bundled from those that TypeScript 7 has written into `.types` (`npm run build:types`): to work them out from the
 * sources again would take the bundler minutes and 5 GB.
 */
const declared = Object.fromEntries(
  Object.entries(serverEntries).map(([name, file]) => [name, `.types/${file.replace(/\.ts$/, ".d.ts")}`]),
);

/**
 * Chunks import each other for their side effects, which none has (`sideEffects` in package.json), so that each bundler warns hundreds
 * of times. The lines stay, so that no other line moves.
 */
const withoutBareImports: NonNullable<Options["plugins"]>[number] = {
  name: "without-bare-imports",
  renderChunk: (code) => ({ code: code.replaceAll(/^import "(?:\.\.?\/)+chunk-[A-Z0-9]+\.js";$/gm, "") }),
};

/**
 * Texts as one string each: smaller than an object that is printed line by line, and parsed faster. A language of the inbox has its
 * sentences alone, in the order of the English ones, whose names would be a third of it; null where it lacks one.
 */
const texts: NonNullable<Options["esbuildPlugins"]>[number] = {
  name: "texts",
  setup: (build) =>
    build.onLoad({ filter: /src\/texts\/\w+\/[\w-]+\.json$/ }, ({ path }) => {
      const own = JSON.parse(readFileSync(path, "utf8"));
      const parsed = (value: unknown): string => `/* @__PURE__ */ JSON.parse(${JSON.stringify(JSON.stringify(value))})`;
      const english = resolve(path, "../en.json");
      if (path === english || !path.includes("/inbox/")) {
        return { contents: `export default ${parsed(own)};`, loader: "js" };
      }
      const names = Object.entries<object>(JSON.parse(readFileSync(english, "utf8")));
      const values = names.flatMap(([group, all]) => Object.keys(all).map((name) => own[group]?.[name] ?? null));
      const contents = `import english from "./en.json";
const values = ${parsed(values)};
let at = 0;
export default Object.fromEntries(
  Object.entries(english).map(([group, all]) => [
    group,
    Object.fromEntries(Object.keys(all).map((name) => [name, values[at++]]).filter(([, text]) => text !== null)),
  ]),
);`;
      return { contents, loader: "js" };
    }),
};

export const server: Options = {
  entry: { ...serverEntries, ...runtimes },
  esbuildPlugins: [esbuildInboxAssets, texts, runtimeImports, importsZod],
  format: "esm",
  target: "node20",
  dts: { entry: declared },
  // One copy of ApiError and StaleWriteError over all entries, so that instanceof holds.
  splitting: true,
  plugins: [withoutBareImports],
  // No maps: without the sources, development servers print a line for each, and with them the package would be twice as large.
  sourcemap: false,
  // Bundlers for other platforms than Node know "node:fs", and stop at "fs".
  removeNodeProtocol: false,
  esbuildOptions(options) {
    // Languages as they are written: an escape takes six bytes for three.
    options.charset = "utf8";
    // Shorter syntax, with names and lines kept: a host's stack traces stay readable, and it loads 3 % less.
    options.minifySyntax = true;
  },
  noExternal: ["zod"],
  // Optional engines are loaded where they are used and installed by the host.
  external: [
    /^node:/,
    /^cloudflare:/,
    "nodemailer",
    "@photostructure/sqlite",
    "bullmq",
    "pg",
    /^mysql2/,
    /^@modelcontextprotocol\//,
  ],
};

/** Zod, which all entries share. Its declarations stay those of the package. */
export const zod: Options = {
  removeNodeProtocol: false,
  // The plugin puts the members in its place.
  entry: { zod: "node_modules/zod/index.js" },
  format: "esm",
  target: "node20",
  minify: true,
  noExternal: ["zod"],
  esbuildPlugins: [makesZod],
};

/** What a Nuxt host's own bundlers read: single files, whose imports they resolve. */
const nuxtRuntime = (part: "app" | "server"): Options => ({
  removeNodeProtocol: false,
  entry: entriesIn(`adapters/nuxt/runtime/${part}`, `nuxt/runtime/${part}/`, (name) => !name.endsWith(".d")),
  format: "esm",
  target: "es2022",
  // A shared chunk would lie outside of the folder that hosts transpile.
  splitting: false,
  external: [/^#/, /^form-backend/, "vue"],
  // The component and the composable are used by people, the handlers by the server alone.
  ...(part === "app" && {
    tsconfig: "adapters/nuxt/runtime/app/tsconfig.json",
    dts: { compilerOptions: { paths: { "form-backend/browser": ["./src/surfaces/browser/index.ts"] } } },
  }),
});

/** Sources that are entries of their own, and their names; the last ones are exported by an entry as they are. */
const entries = new Map([
  ...Object.entries({ ...serverEntries, ...runtimes }).map(([name, file]): [string, string] => [resolve(file), name]),
  [resolve("src/surfaces/form-backend.ts"), "index"],
  [resolve("src/surfaces/api/verify-webhook.ts"), "index"],
  [resolve("src/surfaces/node/listener.ts"), "node"],
]);

/**
 * The command line: its parser and most commands are one file, beside the entries that it uses as any host does. Commands that
 * most runs don't need are loaded when they run.
 */
const cli: Options = {
  removeNodeProtocol: false,
  entry: { cli: "src/surfaces/cli/index.ts" },
  format: "esm",
  target: "node20",
  minify: true,
  splitting: true,
  esbuildOptions(options) {
    // Beside cli.js, so that imports of other entries keep their paths.
    options.chunkNames = "cli-[hash]";
  },
  external: [/^node:/, ...(server.external ?? []), "jiti"],
  noExternal: ["zod"],
  // The parser is CommonJS and requires modules of Node.
  banner: {
    js: 'import { createRequire as __require } from "node:module"; const require = __require(import.meta.url);',
  },
  esbuildPlugins: [
    texts,
    importsZod,
    {
      name: "entries",
      setup: (build) =>
        build.onResolve({ filter: /^\..*\.ts$/ }, ({ path, resolveDir }) => {
          const name = entries.get(resolve(resolveDir, path));
          return name === undefined ? null : { path: `./${name}.js`, external: true };
        }),
    },
  ],
};

export default defineConfig(() => {
  // Not `clean`: both builds run at once, and one would sweep away what the other has written.
  rmSync("dist", { recursive: true, force: true });
  return [
    server,
    zod,
    browser,
    extras,
    hooks("react"),
    hooks("vue"),
    hooks("svelte"),
    nuxtRuntime("app"),
    nuxtRuntime("server"),
    cli,
  ];
});
