import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../_support/install.ts";

/** A fresh app of one host: what its author would write, by file, and what they would run. */
export interface App {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  /** Programs below `node_modules`, with what they are passed. */
  readonly check: readonly string[][];
  readonly build: readonly string[][];
  /** The script that Node starts, or the arguments of `program`. */
  readonly start: readonly string[];
  /** Another runtime than Node: a program below `node_modules`. */
  readonly program?: string;
  /** The same for its development server, where that evaluates files anew; the file that is changed then. */
  readonly develop?: { readonly args: readonly string[]; readonly change: string };
  /** True if its build counts as production, whatever NODE_ENV is. */
  readonly sealed?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes of the upload; 5 MB where the host itself allows as much. */
  readonly upload?: number;
  /** Files that show a form, where the app has such. Posts need none: they may come from any page. */
  readonly shown?: readonly string[];
  /** Files that stand in the place of the host's platform, which its author has not. */
  readonly standIn?: readonly string[];
  /** The file of the store. Default `forms.db`. */
  readonly database?: string;
}

const TYPESCRIPT = { typescript: "5.9.3", "@types/node": "20.19.43" };
const TSC = "typescript/bin/tsc";

/** The backend of every app, in a file of its own. It is evaluated by builds too, which know no secret. */
export const forms = `import { createFormBackend } from "form-backend";
import { smtpMailer } from "form-backend/drivers/mailer/smtp";
import { sqliteStorage } from "form-backend/drivers/storage/sqlite";

export const backend = createFormBackend({
  baseUrl: process.env["FORMS_URL"] ?? "http://localhost:3000/forms",
  secret: process.env["FORMS_SECRET"],
  storage: sqliteStorage({ path: "forms.db" }),
  mailer: smtpMailer(process.env["SMTP_URL"] ?? "smtp://127.0.0.1:1025"),
});
`;

/** The same for development servers, which evaluate a file anew after each change: as the page about Next.js has it, and telling of it. */
const kept = `${forms
  .replace("{ createFormBackend }", "{ createFormBackend, type FormBackend }")
  .replace(
    "export const backend = createFormBackend(",
    'console.log("EVALUATED", process.pid);\n\nconst create = () => createFormBackend(',
  )}
const kept = globalThis as { formBackend?: FormBackend };
if (!kept.formBackend) console.log("MADE", process.pid);
kept.formBackend ??= create();
export const backend = kept.formBackend;
`;

const tsconfig = (options: object = {}, rest: object = { include: ["*.ts"] }): string =>
  JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      module: "NodeNext",
      moduleResolution: "NodeNext",
      strict: true,
      skipLibCheck: true,
      types: ["node"],
      outDir: "dist",
      ...options,
    },
    ...rest,
  });

/** A server of a few lines, compiled by tsc. */
const server = (
  dependencies: Record<string, string>,
  source: string,
  more: { files?: Record<string, string>; options?: object } = {},
): App => ({
  dependencies: { ...TYPESCRIPT, ...dependencies },
  files: { "forms.ts": forms, "server.ts": source, "tsconfig.json": tsconfig(more.options), ...more.files },
  check: [[TSC, "--noEmit"]],
  build: [[TSC]],
  start: ["dist/server.js"],
});

const PORT = `Number(process.env["PORT"])`;

const next = (version: string): App => ({
  dependencies: {
    ...TYPESCRIPT,
    next: version,
    react: "19.3.1",
    "react-dom": "19.3.1",
    "@types/react": "19.3.0",
  },
  files: {
    "lib/forms.ts": kept,
    "app/forms/[...path]/route.ts": `import { backend } from "../../../lib/forms";

const handle = (request: Request) => backend.fetch(request);

export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as PATCH, handle as POST, handle as PUT };
`,
    "app/layout.tsx": `export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>;\n`,
    "app/page.tsx": "export default () => <p>own</p>;\n",
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "ES2022",
        lib: ["dom", "ES2022"],
        module: "esnext",
        moduleResolution: "bundler",
        strict: true,
        skipLibCheck: true,
        noEmit: true,
        jsx: "preserve",
        esModuleInterop: true,
        isolatedModules: true,
        resolveJsonModule: true,
        incremental: true,
        plugins: [{ name: "next" }],
      },
      include: ["**/*.ts", "**/*.tsx", ".next/types/**/*.ts"],
      exclude: ["node_modules"],
    }),
  },
  check: [[TSC, "--noEmit"]],
  build: [["next/dist/bin/next", "build"]],
  start: ["node_modules/next/dist/bin/next", "start", "--hostname", "127.0.0.1"],
  develop: { args: ["node_modules/next/dist/bin/next", "dev", "--hostname", "127.0.0.1"], change: "lib/forms.ts" },
  env: { NEXT_TELEMETRY_DISABLED: "1" },
});

/** Built by one of the two versions of Nitro for one of its presets. */
const nitro = (
  dependencies: Record<string, string>,
  {
    preset = "node-server",
    files,
    ...more
  }: {
    preset?: string;
    start?: string[];
    program?: string;
    files?: Record<string, string>;
    upload?: number;
    standIn?: string[];
  } = {},
): App => {
  const three = "nitro" in dependencies;
  const config = three
    ? `import { defineNitroConfig } from "nitro/config";

export default defineNitroConfig({
  serverDir: ".",
  preset: ${JSON.stringify(preset)},
  compatibilityDate: "2026-01-01",
  externals: {
    traceInclude: ["./node_modules/@photostructure/sqlite/prebuilds/${NATIVE}"],
  },
});
`
    : `export default defineNitroConfig({
  preset: ${JSON.stringify(preset)},
  compatibilityDate: "2026-01-01",
  externals: {
    traceInclude: ["./node_modules/@photostructure/sqlite/prebuilds/${NATIVE}"],
  },
});
`;
  return {
    dependencies: { ...TYPESCRIPT, ...dependencies },
    files: {
      "forms.ts": forms,
      "routes/own.ts": `export default () => "own";\n`,
      "routes/forms/[...].ts": `import { formBackend } from "form-backend/nitro";
import { backend } from "../../forms";

export default formBackend(backend);
`,
      "nitro.config.ts": config,
      "tsconfig.json": tsconfig(
        { module: "ESNext", moduleResolution: "Bundler", noEmit: true },
        { include: ["forms.ts", "routes"] },
      ),
      ...files,
    },
    check: [[TSC]],
    build: [[three ? "nitro/dist/cli/index.mjs" : "nitropack/dist/cli/index.mjs", "build"]],
    start: [".output/server/index.mjs"],
    env: { HOST: "127.0.0.1" },
    ...more,
  };
};

/** As the page about Nitro has it, for the machine of the test. */
const NATIVE = `${process.platform}-${process.arch}/@photostructure+sqlite.glibc.node`;

/** The server of a host's page, as it is written there, with a mail server. */
function ownServer(page: string, more: Pick<App, "dependencies" | "check" | "start" | "program">): App {
  const text = readFileSync(join(ROOT, `docs/hosts/${page}.md`), "utf8");
  const [, code = ""] = /^```ts \[server\.ts\]\n([\s\S]*?)^```$/m.exec(text) ?? [];
  return {
    files: {
      "server.ts": `import { smtpMailer } from "form-backend/drivers/mailer/smtp";\n${code.replace(
        "  storage:",
        '  mailer: smtpMailer(process.env.SMTP_URL ?? "smtp://127.0.0.1:1025"),\n  storage:',
      )}`,
      // Deno reads it too, and has the types of its own.
      ...(page === "bun" && {
        "tsconfig.json": tsconfig({ module: "ESNext", moduleResolution: "Bundler", types: ["bun"], noEmit: true }),
      }),
    },
    build: [],
    ...more,
  };
}

/** An event has at most 6 MB, in which a file is base64. */
const LAMBDA_BYTES = 4 * 1024 * 1024;

/** Every host, with versions that run on the oldest Node of this package. */
export const apps: Readonly<Record<string, App>> = {
  "Express 5": server(
    { express: "5.3.0", "@types/express": "5.0.6" },
    `import express from "express";
import { formBackend } from "form-backend/express";
import { backend } from "./forms.js";

const app = express();
app.get("/own", (_, response) => void response.send("own"));
app.use("/forms", formBackend(backend));
app.use(express.json());
app.listen(${PORT}, "127.0.0.1");
`,
  ),
  "Express 4": server(
    { express: "4.22.3", "@types/express": "4.17.24" },
    `import express from "express";
import { formBackend } from "form-backend/express";
import { backend } from "./forms.js";

const app = express();
app.get("/own", (_, response) => void response.send("own"));
app.use("/forms", formBackend(backend));
app.use(express.json());
app.listen(${PORT}, "127.0.0.1");
`,
  ),
  "Express, CommonJS": server(
    { express: "5.3.0", "@types/express": "5.0.6" },
    `import express = require("express");
import adapter = require("form-backend/express");
import forms = require("./forms.js");

const app = express();
app.use("/forms", adapter.formBackend(forms.backend));
app.listen(${PORT}, "127.0.0.1");
`,
    { files: { "package.json": '{"type":"commonjs"}' }, options: { module: "NodeNext", esModuleInterop: true } },
  ),
  "Plain Node": server(
    {},
    `import { createServer } from "node:http";
import { formBackend } from "form-backend/node";
import { backend } from "./forms.js";

const forms = formBackend(backend);
createServer((request, response) => {
  if (request.url?.startsWith("/forms/")) forms(request, response);
  else response.end("own");
}).listen(${PORT}, "127.0.0.1");
`,
  ),
  Bun: ownServer("bun", {
    dependencies: { ...TYPESCRIPT, bun: "1.4.5", "@types/bun": "1.4.5" },
    check: [[TSC]],
    program: "bun/bin/bun.exe",
    start: ["server.ts"],
  }),
  Deno: ownServer("deno", {
    dependencies: { deno: "2.9.6", "@types/node": "20.19.43" },
    check: [["deno/bin.cjs", "check", "server.ts"]],
    program: "deno/deno",
    start: ["run", "-A", "server.ts"],
  }),
  "No app": {
    dependencies: {},
    files: {},
    check: [],
    build: [],
    start: ["node_modules/form-backend/dist/cli.js", "serve"],
    database: ".form-backend/forms.db",
  },
  Koa: server(
    { koa: "3.3.0", "@types/koa": "3.0.1" },
    `import { formBackend } from "form-backend/koa";
import Koa from "koa";
import { backend } from "./forms.js";

const app = new Koa();
app.use(formBackend(backend));
app.use((context) => {
  context.body = "own";
});
app.listen(${PORT}, "127.0.0.1");
`,
  ),
  Fastify: server(
    { fastify: "5.12.8" },
    `import Fastify from "fastify";
import { formBackend } from "form-backend/fastify";
import { backend } from "./forms.js";

const app = Fastify();
app.register(formBackend(backend), { prefix: "/forms" });
app.get("/own", () => "own");
await app.listen({ port: ${PORT}, host: "127.0.0.1" });
`,
  ),
  h3: server(
    { h3: "1.15.11" },
    `import { createServer } from "node:http";
import { createApp, createRouter, defineEventHandler, toNodeListener } from "h3";
import { formBackend } from "form-backend/nitro";
import { backend } from "./forms.js";

const app = createApp();
const router = createRouter();
router.use("/forms/**", defineEventHandler(formBackend(backend)));
app.use(router);
createServer(toNodeListener(app)).listen(${PORT}, "127.0.0.1");
`,
  ),
  Vite: {
    dependencies: { ...TYPESCRIPT, vite: "8.3.8" },
    files: {
      "forms.ts": forms,
      "index.html": `<form method="post"><input name="email"><button>Send</button></form><script type="module" src="/main.ts"></script>\n`,
      "main.ts": `import { enhance } from "form-backend/browser";

for (const form of document.forms) enhance(form);
`,
      "vite.config.ts": `import { formBackend } from "form-backend/express";
import { defineConfig } from "vite";
import { backend } from "./forms.ts";

export default defineConfig({
  plugins: [
    {
      name: "forms",
      configureServer: ({ middlewares }) => void middlewares.use("/forms", formBackend(backend)),
      configurePreviewServer: ({ middlewares }) => void middlewares.use("/forms", formBackend(backend)),
    },
  ],
});
`,
      "tsconfig.json": tsconfig({
        lib: ["ES2022", "DOM", "DOM.Iterable"],
        module: "ESNext",
        moduleResolution: "Bundler",
        allowImportingTsExtensions: true,
        noEmit: true,
      }),
    },
    check: [[TSC]],
    build: [["vite/bin/vite.js", "build"]],
    start: ["node_modules/vite/bin/vite.js", "preview", "--host", "127.0.0.1"],
  },
  Hono: server(
    { hono: "4.13.19", "@hono/node-server": "2.1.8" },
    `import { serve } from "@hono/node-server";
import { getConnInfo } from "@hono/node-server/conninfo";
import { Hono } from "hono";
import { backend } from "./forms.js";

const app = new Hono();
app.all("/forms/*", (c) => backend.handle(c.req.raw, { ip: getConnInfo(c).remote.address }));
serve({ fetch: app.fetch, port: ${PORT}, hostname: "127.0.0.1", autoCleanupIncoming: false });
`,
  ),
  "Next 15": next("15.5.29"),
  "Next 16": next("16.4.6"),
  SvelteKit: {
    dependencies: {
      ...TYPESCRIPT,
      "@sveltejs/kit": "2.70.4",
      "@sveltejs/adapter-node": "5.5.7",
      "@sveltejs/vite-plugin-svelte": "7.3.1",
      svelte: "5.57.3",
      "svelte-check": "4.7.8",
      vite: "8.3.8",
    },
    files: {
      "src/lib/forms.ts": forms,
      "src/app.html": "<html><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>\n",
      "src/routes/+page.svelte": "<p>own</p>\n",
      "src/routes/forms/[...path]/+server.ts": `import type { RequestHandler } from "@sveltejs/kit";
import { backend } from "$lib/forms";

export const fallback: RequestHandler = ({ request, getClientAddress }) =>
  backend.handle(request, { ip: getClientAddress() });
`,
      "svelte.config.js": `import adapter from "@sveltejs/adapter-node";
export default { kit: { adapter: adapter() } };
`,
      "vite.config.ts": `import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [sveltekit()] });
`,
      "tsconfig.json": '{ "extends": "./.svelte-kit/tsconfig.json", "compilerOptions": { "strict": true } }',
    },
    check: [["@sveltejs/kit/svelte-kit.js", "sync"], ["svelte-check/bin/svelte-check"]],
    build: [["vite/bin/vite.js", "build"]],
    start: ["build/index.js"],
    env: { BODY_SIZE_LIMIT: "26M", HOST: "127.0.0.1" },
  },
  NestJS: server(
    {
      "@nestjs/common": "11.2.10",
      "@nestjs/core": "11.2.10",
      "@nestjs/platform-express": "11.2.10",
      "reflect-metadata": "0.2.2",
      rxjs: "7.8.2",
    },
    `import "reflect-metadata";
import { Controller, Get, Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { formBackend } from "form-backend/express";
import { backend } from "./forms.js";

@Controller()
class Own {
  @Get("own")
  own(): string {
    return "own";
  }
}

@Module({ controllers: [Own] })
class App {}

const app = await NestFactory.create(App);
app.use("/forms", formBackend(backend));
await app.listen(${PORT}, "127.0.0.1");
`,
    { options: { experimentalDecorators: true, emitDecoratorMetadata: true } },
  ),
  "React Router": {
    dependencies: {
      ...TYPESCRIPT,
      "@react-router/dev": "7.18.4",
      "@react-router/node": "7.18.4",
      "@react-router/serve": "7.18.4",
      "react-router": "7.18.4",
      "@types/react": "19.3.0",
      "@types/react-dom": "19.3.0",
      react: "19.3.1",
      "react-dom": "19.3.1",
      isbot: "5.1.44",
      vite: "7.3.3",
    },
    files: {
      "app/routes/forms.server.ts": forms,
      "app/root.tsx": `import { Outlet, Scripts } from "react-router";

export default () => <html><body><Outlet /><Scripts /></body></html>;
`,
      "app/routes.ts": `import { index, type RouteConfig, route } from "@react-router/dev/routes";

export default [index("routes/home.tsx"), route("forms/*", "routes/forms.ts")] satisfies RouteConfig;
`,
      "app/routes/home.tsx": "export default () => <p>own</p>;\n",
      "app/routes/forms.ts": `import { backend } from "./forms.server";

const handle = ({ request }: { request: Request }) => backend.fetch(request);

export { handle as action, handle as loader };
`,
      "vite.config.ts": `import { reactRouter } from "@react-router/dev/vite";
import { defineConfig } from "vite";
export default defineConfig({ plugins: [reactRouter()] });
`,
      "tsconfig.json": tsconfig(
        {
          lib: ["ES2022", "DOM", "DOM.Iterable"],
          types: ["node", "vite/client"],
          module: "ES2022",
          moduleResolution: "bundler",
          jsx: "react-jsx",
          noEmit: true,
          rootDirs: [".", "./.react-router/types"],
        },
        { include: ["**/*.ts", "**/*.tsx", ".react-router/types/**/*"] },
      ),
    },
    check: [["@react-router/dev/bin.js", "typegen"], [TSC]],
    build: [["@react-router/dev/bin.js", "build"]],
    start: ["node_modules/@react-router/serve/bin.js", "build/server/index.js"],
    env: { HOST: "127.0.0.1" },
  },
  Astro: {
    dependencies: { ...TYPESCRIPT, astro: "5.18.2", "@astrojs/node": "9.5.5", "@astrojs/check": "0.9.10" },
    files: {
      "src/forms.ts": forms,
      "src/pages/index.astro": "<p>own</p>\n",
      "src/pages/forms/[...path].ts": `import type { APIRoute } from "astro";
import { backend } from "../../forms";

export const prerender = false;

export const ALL: APIRoute = ({ request, clientAddress }) => backend.handle(request, { ip: clientAddress });
`,
      "astro.config.mjs": `import node from "@astrojs/node";
import { defineConfig } from "astro/config";
export default defineConfig({
  adapter: node({ mode: "standalone" }),
  security: { allowedDomains: [{ hostname: "127.0.0.1", protocol: "http" }] },
});
`,
      "tsconfig.json": '{ "extends": "astro/tsconfigs/strict", "include": [".astro/types.d.ts", "src"] }',
    },
    check: [["astro/astro.js", "check"]],
    build: [["astro/astro.js", "build"]],
    start: ["dist/server/entry.mjs"],
    env: { HOST: "127.0.0.1", ASTRO_TELEMETRY_DISABLED: "1" },
  },
  "Nitro 2": nitro({ nitropack: "2.13.6" }),
  "Nitro 2, preset bun": nitro({ nitropack: "2.13.6", bun: "1.4.5" }, { preset: "bun", program: "bun/bin/bun.exe" }),
  "Nitro 2, preset deno-server": nitro(
    { nitropack: "2.13.6", deno: "2.9.6" },
    { preset: "deno-server", program: "deno/deno", start: ["run", "-A", ".output/server/index.mjs"] },
  ),
  // In the place of each platform: a server that calls what the preset has built for it.
  "Nitro 2, preset aws-lambda": nitro(
    { nitropack: "2.13.6", srvx: "1.0.8" },
    {
      preset: "aws-lambda",
      files: {
        "platform.mjs": `import { serve } from "srvx";
import { invokeLambdaHandler } from "srvx/aws-lambda";
import { handler } from "./.output/server/index.mjs";

serve({ fetch: (request) => invokeLambdaHandler(handler, request), port: ${PORT}, hostname: "127.0.0.1" });
`,
      },
      start: ["platform.mjs"],
      standIn: ["platform.mjs"],
      upload: LAMBDA_BYTES,
    },
  ),
  "Nitro 2, preset vercel": nitro(
    { nitropack: "2.13.6" },
    {
      preset: "vercel",
      files: {
        "platform.mjs": `import { createServer } from "node:http";
import listener from "./.vercel/output/functions/__fallback.func/index.mjs";

createServer(listener).listen(${PORT}, "127.0.0.1");
`,
      },
      start: ["platform.mjs"],
      standIn: ["platform.mjs"],
    },
  ),
  "Nitro 2, preset netlify": nitro(
    { nitropack: "2.13.6", srvx: "1.0.8" },
    {
      preset: "netlify",
      files: {
        "platform.mjs": `import { serve } from "srvx";
import handler from "./.netlify/functions-internal/server/server.mjs";

serve({ fetch: (request) => handler(request), port: ${PORT}, hostname: "127.0.0.1" });
`,
      },
      start: ["platform.mjs"],
      standIn: ["platform.mjs"],
    },
  ),
  "Nitro 3": nitro({ nitro: "3.0.0" }),
  Elysia: server(
    { elysia: "1.4.30", srvx: "1.0.8" },
    `import { Elysia } from "elysia";
import { serve } from "srvx";
import { backend } from "./forms.js";

const app = new Elysia().all("/forms/*", ({ request }) => backend.fetch(request), { parse: "none" });
serve({ fetch: (request) => app.fetch(request), port: ${PORT}, hostname: "127.0.0.1" });
`,
  ),
  "AWS Lambda": {
    ...server(
      { srvx: "1.0.8" },
      // In the place of AWS: each request becomes an event.
      `import { invokeLambdaHandler } from "srvx/aws-lambda";
import { serve } from "srvx";
import { backend } from "./forms.js";
import { handler } from "./handler.js";

/** What the handler has left undone when AWS would freeze it. */
const invoked = async (request: Request): Promise<Response> => {
  const answer = await invokeLambdaHandler(handler, request);
  const left = await backend.jobs.list({ status: "pending" });
  answer.headers.set("x-left", String(left.length));
  return answer;
};
serve({ fetch: invoked, port: ${PORT}, hostname: "127.0.0.1" });
`,
      {
        files: {
          "handler.ts": `import { type AWSLambdaHandler, handleLambdaEvent } from "srvx/aws-lambda";
import { backend } from "./forms.js";

export const handler: AWSLambdaHandler = async (event, context) => {
  const running: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void running.push(promise);
  const fetch = (request: Request) => backend.fetch(Object.assign(request, { waitUntil }));
  const answer = await handleLambdaEvent(fetch, event, context);
  await Promise.allSettled(running);
  return answer;
};
`,
        },
      },
    ),
    standIn: ["server.ts"],
    upload: LAMBDA_BYTES,
  },
};

/** Packages that an app installs beside its host. */
export const dependenciesOf = ({ dependencies }: Pick<App, "dependencies">): object => ({
  dependencies: { "@photostructure/sqlite": "1.2.1", nodemailer: "10.6.0", ...dependencies },
  overrides: { rollup: "4.67.4" },
});
