import type { Plugin } from "esbuild";

/** The assets of the inbox for tsup. */
export const esbuildInboxAssets: Plugin;
/** The same for Vitest. */
export const viteInboxAssets: { name: string; load(id: string): Promise<string | null> };
