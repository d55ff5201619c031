// Known by name only: what pages import from them is not checked.
declare module "@astrojs/node";
declare module "@nestjs/core";
declare module "@react-router/dev/routes" {
  export type RouteConfig = unknown[];
  export function route(path: string, file: string): unknown;
}
declare module "*/app.module";
declare module "astro/config";
declare module "@sveltejs/kit";
declare module "@vercel/functions";
declare module "bun:sqlite";
declare module "elysia";
declare module "ioredis";
declare module "next/headers";
/** The types of Node 20 do not have it yet. */
declare module "node:sqlite";
/** The reader's own file with the backend, from wherever it is imported. */
declare module "*/form-backend" {
  const backend: import("../../../src/index.ts").FormBackend;
  export default backend;
}
/** The reader's own ORM. */
declare module "*/prisma.mjs";
declare module "*/orm.mjs";
declare module "*/forms.mjs" {
  export const backend: import("../../../src/index.ts").FormBackend;
}
declare module "*/scheduled.mjs" {
  export function scheduled(): Promise<number>;
  export function scheduledRoute(request: Request): Promise<Response>;
}
declare module "#form-backend" {
  const backend: import("../../../src/index.ts").FormBackend;
  export default backend;
}
declare module "nitropack/presets/cloudflare/runtime/cloudflare-module" {
  const worker: { fetch(request: Request, env: unknown, ctx: unknown): Promise<Response> };
  export default worker;
}
declare module "nitro/runtime" {
  export function useStorage(base: string): import("unstorage").Storage;
}
declare module "nitro/types" {
  export interface NitroApp {
    hooks: { hook(name: "close", run: () => Promise<void>): unknown };
  }
}

declare module "@jest/globals" {
  export const test: (name: string, run: () => Promise<void>) => void;
  export const expect: (value: unknown) => { toHaveLength(length: number): void };
}
