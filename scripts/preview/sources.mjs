// @ts-check
import { join, relative, resolve } from "node:path";
import { createViteServer } from "vitest/node";
import { viteInboxAssets } from "../inbox-assets.mjs";

const root = resolve(import.meta.dirname, "../..");

/**
 * Loads the preview from the sources, without a build, and again whenever a file of them changes. A version that can't be loaded is told on the
 * console, and the one before it stays.
 * @param {string} origin
 * @param {string} tag
 */
export async function fromSources(origin, tag) {
  const vite = await createViteServer({
    root,
    configFile: false,
    appType: "custom",
    logLevel: "warn",
    plugins: [viteInboxAssets],
    resolve: {
      alias: [
        { find: /^form-backend\/inbox$/, replacement: join(root, "src/surfaces/inbox/index.ts") },
        { find: /^form-backend\/node$/, replacement: join(root, "adapters/node.ts") },
        { find: /^form-backend\/testing$/, replacement: join(root, "src/surfaces/testing/index.ts") },
      ],
    },
    server: { middlewareMode: true, hmr: false, ws: false },
    optimizeDeps: { noDiscovery: true, include: [] },
  });

  /** @returns {Promise<Awaited<ReturnType<import("./render.mjs").renderer>>>} */
  async function load() {
    const { default: locale } = await vite.ssrLoadModule(`/src/texts/locales/${tag}.ts`);
    const { renderer } = await vite.ssrLoadModule("/scripts/preview/render.mjs");
    return renderer(origin, tag, locale);
  }

  let current = await load();
  /** @type {NodeJS.Timeout | undefined} */
  let soon;
  let loading = Promise.resolve();
  vite.watcher.on("all", (_, file) => {
    if (!/^(src|adapters|scripts\/preview)\//.test(relative(root, file))) return;
    clearTimeout(soon);
    // Editors write several files at once.
    soon = setTimeout(() => {
      loading = loading.then(reload);
    }, 100);
  });

  async function reload() {
    try {
      vite.moduleGraph.invalidateAll();
      const before = current;
      current = await load();
      await before.close();
      console.log("  Loaded anew.");
    } catch (error) {
      console.error(error);
    }
  }

  return {
    /** The latest version that could be loaded. */
    current: () => current,
    async close() {
      clearTimeout(soon);
      await loading;
      await current.close();
      await vite.close();
    },
  };
}
