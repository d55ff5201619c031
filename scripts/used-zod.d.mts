import type { Plugin } from "esbuild";

export const makesZod: Plugin;
export const importsZod: Plugin;
