/** A host that `init` knows. */
interface Host {
  /** The name for people. */
  readonly title: string;
  /** Packages that give it away. */
  readonly packages: readonly string[];
  /** The adapter's entry; null where the host passes web requests on. */
  readonly adapter: string | null;
  /** The line that mounts it. */
  readonly mount: string;
  /** The place of that line. */
  readonly place: string;
  /** Imports beside those of backend and adapter. */
  readonly imports?: readonly (readonly [what: string, from: string])[];
}

export type HostName = "express" | "koa" | "fastify" | "hono" | "nitro" | "nuxt" | "node";

export const hosts: Readonly<Record<HostName, Host>> = {
  nuxt: {
    title: "Nuxt",
    packages: ["nuxt", "nuxt3", "nuxt-nightly"],
    adapter: null,
    mount: `modules: ["form-backend/nuxt"],\nformBackend: { path: "/forms" },`,
    place: "in nuxt.config.ts, inside defineNuxtConfig({ … })",
  },
  nitro: { title: "Nitro", packages: ["nitropack", "nitro"], adapter: "nitro", mount: "", place: "" },
  express: {
    title: "Express",
    packages: ["express", "@nestjs/platform-express"],
    adapter: "express",
    mount: 'app.use("/forms", formBackend(backend));',
    place: "in your app, before readers of multipart bodies and catch-all routes",
  },
  koa: {
    title: "Koa",
    packages: ["koa"],
    adapter: "koa",
    mount: "app.use(formBackend(backend));",
    place: "in your app, before readers of multipart bodies and middleware that responds to everything",
  },
  fastify: {
    title: "Fastify",
    packages: ["fastify", "@nestjs/platform-fastify"],
    adapter: "fastify",
    mount: 'app.register(formBackend(backend), { prefix: "/forms" });',
    place: "in your app, before listen()",
  },
  hono: {
    title: "Hono",
    packages: ["hono"],
    adapter: null,
    mount: 'app.all("/forms/*", (c) => backend.handle(c.req.raw, { ip: getConnInfo(c).remote.address }));',
    place: "in your app, before catch-all routes",
    imports: [["{ getConnInfo }", "@hono/node-server/conninfo"]],
  },
  node: {
    title: "node:http",
    packages: [],
    adapter: "node",
    mount: 'if (req.url?.startsWith("/forms/")) return forms(req, res);',
    place: "first in the listener of createServer",
  },
};
