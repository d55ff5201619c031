import { existsSync, readdirSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import {
  addComponent,
  addDevServerHandler,
  addImports,
  addServerHandler,
  addServerPlugin,
  addTemplate,
  addTypeTemplate,
  createResolver,
  defineNuxtModule,
  findPath,
} from "@nuxt/kit";
import type { NuxtModule } from "@nuxt/schema";
import { PEER } from "./peer.ts";

/** The key `formBackend` of `nuxt.config`. */
export interface ModuleOptions {
  /** The path of the backend's `baseUrl` below `app.baseURL`. Default `/forms`. */
  path?: string;
  /** The server file whose default export is the backend, relative to the project's root. Default `server/form-backend.ts`. */
  config?: string;
}

/** The part of Nitro's options that is used. */
interface NitroOptions {
  alias?: Record<string, string>;
  externals?: { inline?: unknown[]; traceInclude?: string[] };
  experimental?: { tasks?: boolean };
  tasks?: Record<string, { handler: string; description: string }>;
}

/**
 * The app's own types: `useFetch` reads the return types of server routes, so the app's program includes the files that import
 * the backend. Without this, that module does not exist there, and `nuxt typecheck` fails.
 */
const BACKEND_TYPE = `declare module "#form-backend" {
  const backend: import("form-backend").FormBackend;
  export default backend;
}
`;

const TASKS = {
  tick: "Send every email and webhook that is due",
  sweep: "Remove what was kept for as long as it may be",
};

const formBackendModule: NuxtModule<ModuleOptions> = defineNuxtModule<ModuleOptions>({
  meta: { name: "form-backend", configKey: "formBackend", compatibility: { nuxt: ">=3.13.0" } },
  defaults: { path: "/forms", config: "server/form-backend.ts" },
  async setup(options, nuxt) {
    const path = mountPath(options.path ?? "");
    const { config = "" } = options;
    const file = await findPath(config, { cwd: nuxt.options.rootDir });
    if (!file) {
      throw new Error(
        `[form-backend] there is no ${config} in ${nuxt.options.rootDir}; create it with your backend as its default ` +
          "export, or name another file in `formBackend.config` of nuxt.config",
      );
    }
    const { resolve } = createResolver(import.meta.url);
    const runtime = resolve("./runtime");

    // The runtime imports the alias, so the host's bundlers must read it.
    nuxt.options.build.transpile.push(runtime);
    const host = nuxt.options as { nitro?: NitroOptions };
    const { alias, externals, experimental, tasks } = host.nitro ?? {};
    host.nitro = {
      ...host.nitro,
      alias: { ...alias, "#form-backend": file },
      externals: {
        ...externals,
        inline: [...(externals?.inline ?? []), runtime],
        traceInclude: [...(externals?.traceInclude ?? []), ...nuxt.options.modulesDir.flatMap(nativeEngine)],
      },
      ...(experimental?.tasks !== false && {
        experimental: { ...experimental, tasks: true },
        tasks: { ...tasksIn(resolve("./runtime/server")), ...tasks },
      }),
    };

    addServerPlugin(resolve("./runtime/server/plugin"));
    // Nitro 2 does not take `/forms` for a part of `/forms/**`.
    for (const route of [path, `${path}/**`]) addServerHandler({ route, handler: resolve("./runtime/server/handler") });
    if (nuxt.options.dev) addDevServerHandler({ handler: tellPeer as DevHandler });
    addTemplate({ filename: "form-backend.mjs", getContents: () => `export const path = ${JSON.stringify(path)};\n` });
    addTypeTemplate({ filename: "types/form-backend.d.ts", getContents: () => BACKEND_TYPE });
    addImports({ name: "useFormEndpoint", from: resolve("./runtime/app/endpoint") });
    addComponent({ name: "FormBackendForm", filePath: resolve("./runtime/app/form") });
  },
});

/**
 * The Nuxt module: serves the backend of `server/form-backend.ts` and adds `useFormEndpoint` and `<FormBackendForm>`.
 *
 * @example
 * export default defineNuxtConfig({ modules: ["form-backend/nuxt"], formBackend: { path: "/forms" } });
 */
export default formBackendModule;

const tasksIn = (folder: string): NonNullable<NitroOptions["tasks"]> =>
  Object.fromEntries(
    Object.entries(TASKS).map(([name, description]) => [
      `form-backend:${name}`,
      { handler: join(folder, name), description },
    ]),
  );

type DevHandler = Parameters<typeof addDevServerHandler>[0]["handler"];

/** Runs in the server in front of the worker, which visitors reach, and overwrites a header of this name that a visitor sent. */
const tellPeer = Object.assign(
  ({ node }: { readonly node?: { readonly req: IncomingMessage } }): void => {
    if (node) node.req.headers[PEER] = node.req.socket.remoteAddress ?? "";
  },
  { __is_handler__: true }, // h3 1 warns of handlers without its mark.
);

/** The native part of the SQLite engine for Node 20. It is loaded by name at run time, so import tracing misses it. */
function nativeEngine(modules: string): string[] {
  const folder = join(modules, "@photostructure/sqlite/prebuilds", `${process.platform}-${process.arch}`);
  return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : [];
}

function mountPath(value: string): string {
  const path = value.replace(/\/+$/, "");
  if (!/^(\/[\w.~-]+)+$/.test(path)) {
    throw new Error(
      `[form-backend] \`formBackend.path\` is ${JSON.stringify(value)}, but must be a path such as "/forms"; ` +
        "the root itself belongs to the pages of the app",
    );
  }
  return path;
}
