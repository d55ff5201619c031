import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { Options } from "tsup";
import { bundle } from "../../../_support/bundle.ts";

type Plugin = NonNullable<Options["esbuildPlugins"]>[number];
interface SvelteCompiler {
  compile(source: string, options: object): { js: { code: string } };
}

const root = resolve(import.meta.dirname, "../../../..");
const sources = Object.fromEntries(
  ["browser/index", "browser/react", "browser/vue", "browser/svelte"].map((path) => {
    const name = path.split("/")[1];
    return [`form-backend/${name === "index" ? "browser" : name}`, resolve(root, `src/surfaces/${path}.ts`)];
  }),
);

type Side = "client" | "server";

export interface Framework {
  /** Whether the component shows state and progress, and has a button that ends a post. */
  readonly hook: boolean;
  /** The page's script. */
  client(): Promise<string>;
  /** What a server makes of the component. */
  render(url: string): Promise<string>;
}

/** A framework's app in `apps`, for a page and for a server, with the packages that stand behind its names. */
function framework(
  app: string,
  suffix: "tsx" | "ts" | "mjs",
  packages: Readonly<Record<string, string>>,
  plugins: (side: Side) => Plugin[],
  hook = true,
): Framework {
  const build = (side: Side): Promise<string> =>
    buildApp(`test/services/surfaces/browser/apps/${app}-${side}.${suffix}`, side, packages, plugins(side));
  let server: Promise<{ render(url: string): Promise<string> }> | undefined;
  return {
    hook,
    client: async () => readFileSync(await build("client"), "utf8"),
    async render(url) {
      server ??= build("server").then((file) => import(file));
      return (await server).render(url);
    },
  };
}

/** Bundles an entry with everything that it imports, as a page or a server would. */
export function buildApp(
  entry: string,
  side: Side,
  packages: Readonly<Record<string, string>> = {},
  plugins: Plugin[] = [],
): Promise<string> {
  return bundle(entry, {
    // React's renderer for Node asks for `util` in a way that no module can; the one for other servers doesn't.
    platform: side === "server" && entry.includes("svelte") ? "node" : "browser",
    target: "es2022",
    // The page has one script.
    splitting: false,
    tsconfig: "test/services/surfaces/browser/apps/tsconfig.json",
    skipNodeModulesBundle: false,
    noExternal: [/.*/],
    env: { NODE_ENV: "production" },
    esbuildPlugins: plugins,
    esbuildOptions(options) {
      options.alias = { ...sources, ...packages };
      options.define = { ...options.define, __VUE_OPTIONS_API__: "true", __VUE_PROD_DEVTOOLS__: "false" };
      if (side === "client") options.conditions = ["svelte", "browser"];
    },
  });
}

/** Compiles single-file components by the compiler of the version that runs them. */
export const vueFiles = (version: "vue" | "vue34"): Plugin => ({
  name: "vue-files",
  setup(build) {
    build.onLoad({ filter: /\.vue$/ }, async ({ path }) => {
      const { parse, compileScript } = (await import(`${version}/compiler-sfc`)) as typeof import("vue/compiler-sfc");
      const { descriptor } = parse(readFileSync(path, "utf8"), { filename: path });
      return { contents: compileScript(descriptor, { id: "app", inlineTemplate: true }).content, loader: "ts" };
    });
  },
});

export const svelteFiles = (version: "svelte" | "svelte4", side: Side): Plugin => ({
  name: "svelte-files",
  setup(build) {
    // Under another name, or the bundler's own compiler would be first, which knows one version.
    build.onResolve({ filter: /\.svelte$/ }, ({ path, resolveDir }) => ({
      path: `${resolve(resolveDir, path)}.js`,
      namespace: "svelte",
    }));
    build.onLoad({ filter: /./, namespace: "svelte" }, async ({ path }) => {
      const filename = path.slice(0, -".js".length);
      const { compile } = (await import(`${version}/compiler`)) as SvelteCompiler;
      const old = { generate: side === "client" ? "dom" : "ssr", hydratable: true };
      const options = version === "svelte4" ? old : { generate: side };
      const { js } = compile(readFileSync(filename, "utf8"), { filename, ...options });
      return { contents: js.code, loader: "js", resolveDir: dirname(filename) };
    });
  },
});

const none = (): Plugin[] => [];

/** Every version that the hooks promise to work with. */
export const frameworks: Readonly<Record<string, Framework>> = {
  "React 18": framework("react", "tsx", { react: "react18", "react-dom": "react-dom18" }, none),
  "React 19": framework("react", "tsx", {}, none),
  "Vue 3.4": framework("vue", "ts", { vue: "vue34" }, () => [vueFiles("vue34")]),
  "Vue 3.5": framework("vue", "ts", {}, () => [vueFiles("vue")]),
  "Svelte 4, store": framework("svelte4-store", "mjs", { svelte: "svelte4" }, (side) => [svelteFiles("svelte4", side)]),
  "Svelte 5, store": framework("svelte5-store", "mjs", {}, (side) => [svelteFiles("svelte", side)]),
  "Svelte 4, action": framework(
    "svelte4-action",
    "mjs",
    { svelte: "svelte4" },
    (side) => [svelteFiles("svelte4", side)],
    false,
  ),
  "Svelte 5, action": framework("svelte5-action", "mjs", {}, (side) => [svelteFiles("svelte", side)], false),
};
