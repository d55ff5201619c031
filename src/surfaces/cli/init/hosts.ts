/** A host that `init` knows. */
export interface Host {
  /** The name for people. */
  readonly title: string;
  /** Packages that give it away. */
  readonly packages: readonly string[];
  /** Files that give it away, where no package does. */
  readonly files?: readonly string[];
  /** A host that another one is built on does not count: Nuxt brings Nitro, and Nest brings Express. */
  readonly rank: number;
  /** The adapter's entry; null where the host passes web requests on. */
  readonly adapter: string | null;
  /** The line that mounts it. */
  readonly mount: string;
  /** The place of that line. */
  readonly place: string;
  /** Imports beside those of backend and adapter. */
  readonly imports?: readonly (readonly [what: string, from: string])[];
  /** The port of its development server; default 3000. */
  readonly port?: number;
  /** True if that evaluates the backend's file again after a change. */
  readonly evaluatesAgain?: boolean;
}

export type HostName =
  | "nuxt"
  | "next"
  | "sveltekit"
  | "astro"
  | "react-router"
  | "nestjs"
  | "cloudflare"
  | "nitro"
  | "express"
  | "koa"
  | "fastify"
  | "hono"
  | "h3"
  | "bun"
  | "deno"
  | "node";

const FIRST = "in your app, before catch-all routes";
const START = "start the server with";

export const hosts: Readonly<Record<HostName, Host>> = {
  nuxt: {
    title: "Nuxt",
    packages: ["nuxt", "nuxt3", "nuxt-nightly"],
    rank: 1,
    adapter: null,
    mount: `modules: ["form-backend/nuxt"],\nformBackend: { path: "/forms" },`,
    place: "in nuxt.config.ts, inside defineNuxtConfig({ … })",
  },
  next: { title: "Next.js", packages: ["next"], rank: 1, adapter: null, mount: "", place: "", evaluatesAgain: true },
  sveltekit: {
    title: "SvelteKit",
    packages: ["@sveltejs/kit"],
    rank: 1,
    adapter: null,
    mount: "ORIGIN=https://www.example.com BODY_SIZE_LIMIT=26M",
    place: `into the environment in production: ${START} it`,
    port: 5173,
    evaluatesAgain: true,
  },
  astro: {
    title: "Astro",
    packages: ["astro"],
    rank: 1,
    adapter: null,
    mount: `adapter: node({ mode: "standalone" }),\nsecurity: { allowedDomains: [{ hostname: "www.example.com", protocol: "https" }] },`,
    place: "in astro.config.mjs, inside defineConfig({ … })",
    imports: [["node", "@astrojs/node"]],
    port: 4321,
    evaluatesAgain: true,
  },
  "react-router": {
    title: "React Router",
    packages: ["@react-router/dev"],
    rank: 1,
    adapter: null,
    mount: 'route("forms/*", "routes/forms.ts"),',
    place: "in app/routes.ts, inside its list",
    imports: [["{ route }", "@react-router/dev/routes"]],
    port: 5173,
    evaluatesAgain: true,
  },
  nestjs: {
    title: "NestJS",
    packages: ["@nestjs/core"],
    rank: 1,
    adapter: "express",
    mount: 'app.use("/forms", formBackend(backend));',
    place: "in src/main.ts, behind NestFactory.create()",
  },
  cloudflare: {
    title: "Cloudflare Workers",
    packages: ["wrangler", "@cloudflare/workers-types"],
    files: ["wrangler.jsonc", "wrangler.json", "wrangler.toml"],
    rank: 2,
    adapter: null,
    mount: `export { Forms };\n\n// First in fetch(request, env, ctx):\nif (new URL(request.url).pathname.startsWith("/forms/")) return forms.fetch(request, env, ctx);`,
    place: "in the Worker's main file",
    port: 8787,
  },
  nitro: { title: "Nitro", packages: ["nitropack", "nitro"], rank: 3, adapter: "nitro", mount: "", place: "" },
  express: {
    title: "Express",
    packages: ["express"],
    rank: 3,
    adapter: "express",
    mount: 'app.use("/forms", formBackend(backend));',
    place: "in your app, before readers of multipart bodies and catch-all routes",
  },
  koa: {
    title: "Koa",
    packages: ["koa"],
    rank: 3,
    adapter: "koa",
    mount: "app.use(formBackend(backend));",
    place: "in your app, before readers of multipart bodies and middleware that responds to everything",
  },
  fastify: {
    title: "Fastify",
    packages: ["fastify", "@nestjs/platform-fastify"],
    rank: 3,
    adapter: "fastify",
    mount: 'app.register(formBackend(backend), { prefix: "/forms" });',
    place: "in your app, before listen()",
  },
  hono: {
    title: "Hono",
    packages: ["hono"],
    rank: 3,
    adapter: null,
    mount: 'app.all("/forms/*", (c) => backend.handle(c.req.raw, { ip: getConnInfo(c).remote.address }));',
    place: FIRST,
    imports: [["{ getConnInfo }", "@hono/node-server/conninfo"]],
  },
  h3: {
    title: "h3",
    packages: ["h3"],
    rank: 3,
    adapter: "nitro",
    mount: 'router.use("/forms/**", formBackend(backend)); // in h3 2: app.all("/forms/**", …)',
    place: FIRST,
  },
  bun: {
    title: "Bun",
    packages: ["@types/bun", "bun-types"],
    files: ["bun.lock", "bun.lockb", "bunfig.toml"],
    rank: 4,
    adapter: null,
    mount:
      'if (new URL(request.url).pathname.startsWith("/forms/"))\n  return backend.handle(request, { ip: server.requestIP(request)?.address });',
    place: "first in fetch(request, server) of Bun.serve()",
  },
  deno: {
    title: "Deno",
    packages: ["@types/deno"],
    files: ["deno.json", "deno.jsonc", "deno.lock"],
    rank: 4,
    adapter: null,
    mount:
      'if (new URL(request.url).pathname.startsWith("/forms/"))\n  return backend.handle(request, { ip: info.remoteAddr.hostname });',
    place: "first in the handler (request, info) of Deno.serve()",
    port: 8000,
  },
  node: {
    title: "node:http",
    packages: [],
    rank: 5,
    adapter: "node",
    mount: 'if (req.url?.startsWith("/forms/")) return forms(req, res);',
    place: "first in the listener of createServer",
  },
};

export const hostNames = Object.keys(hosts) as HostName[];
