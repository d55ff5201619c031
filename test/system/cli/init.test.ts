import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { atEndOfFile } from "../../_support/cleanup.ts";
import { ROOT } from "../../_support/install.ts";
import { freePort } from "../../_support/port.ts";
import { temporaryDirectory } from "../../_support/temporary.ts";
import { command } from "./_command.ts";

/** The first app of each framework's own documentation; a comment marks the place of the mount. */
const skeletons: Record<string, { packages: Record<string, string>; esm: boolean; args?: string[]; app: string }> = {
  express: {
    packages: { express: "5" },
    esm: false,
    app: `const express = require('express')
const app = express()
const port = process.env.PORT
// mount
app.get('/', (req, res) => {
  res.send('Hello World!')
})
app.use((req, res) => res.status(404).send('mine'))
app.listen(port)
`,
  },
  "express as modules": {
    packages: { express: "5" },
    esm: true,
    app: `import express from 'express'
const app = express()
app.use(express.json())
// mount
app.get('/', (req, res) => res.send('Hello World!'))
app.listen(process.env.PORT)
`,
  },
  koa: {
    packages: { koa: "3" },
    esm: false,
    app: `const Koa = require('koa');
const app = new Koa();
// mount
app.use(async ctx => {
  ctx.body = 'Hello World!';
});
app.listen(process.env.PORT);
`,
  },
  fastify: {
    packages: { fastify: "5" },
    esm: true,
    app: `import Fastify from 'fastify'
const app = Fastify()
app.get('/', async (request, reply) => 'Hello World!')
// mount
await app.listen({ port: Number(process.env.PORT) })
`,
  },
  hono: {
    packages: { hono: "4", "@hono/node-server": "2" },
    esm: true,
    app: `import { serve } from '@hono/node-server'
import { Hono } from 'hono'
const app = new Hono()
// mount
app.get('/', (c) => c.text('Hello World!'))
serve({ fetch: app.fetch, port: Number(process.env.PORT) })
`,
  },
  node: {
    packages: {},
    esm: false,
    args: ["--host", "node"],
    app: `const http = require('node:http');
const server = http.createServer((req, res) => {
  // mount
  res.end('Hello World!');
});
server.listen(process.env.PORT);
`,
  },
};

it.each(Object.entries(skeletons))(
  "init makes %s serve a form, from nothing but what it printed and wrote",
  async (_, skeleton) => {
    const { packages, esm, args = [], app } = skeleton;
    const cwd = temporaryDirectory();
    writeFileSync(
      join(cwd, "package.json"),
      JSON.stringify({ private: true, ...(esm && { type: "module" }), dependencies: packages }),
    );
    for (const name of [...Object.keys(packages), "@photostructure/sqlite"])
      link(cwd, name, join(ROOT, "node_modules", name));
    link(cwd, "form-backend", ROOT);

    const { code, out } = await command(["init", "--yes", "--json", ...args], { cwd });
    expect(code).toBe(0);
    const { mount } = JSON.parse(out) as { mount: { imports: string[]; code: string } };
    const main = join(cwd, "app.js");
    // A page that needs the form; it is the user's own code.
    const page = `${mount.imports.join("\n")}\n${app.replace("// mount", mount.code)}\ncontactForm().then(({ endpoint }) => console.log(endpoint));\n`;
    writeFileSync(main, page);

    const port = await freePort();
    const site = `http://127.0.0.1:${port}`;
    const child = spawn(process.execPath, [main], {
      cwd,
      env: { PATH: process.env["PATH"] ?? "", PORT: String(port), FORM_BACKEND_URL: `${site}/forms` },
      stdio: ["ignore", "pipe", "inherit"],
    });
    atEndOfFile(() => child.kill("SIGKILL"));
    let printed = "";
    child.stdout.on("data", (part) => {
      printed += String(part);
    });
    await vi.waitFor(() => expect(printed).toContain(`${site}/forms/f/`), { timeout: 60_000 });
    await vi.waitFor(async () => expect(await (await fetch(site)).text()).toBe("Hello World!"), { timeout: 60_000 });
    const [endpoint = ""] = printed.match(/http:\S+\/f\/\S+/) ?? [];
    const answer = await fetch(endpoint, {
      method: "POST",
      body: new URLSearchParams({ email: "ann@example.com" }),
      headers: { accept: "application/json" },
    });
    expect(answer.status).toBe(200);
    // The store is where the commands on the store look for it.
    child.kill("SIGKILL");
    const keys = await command(["keys", "list"], { cwd });
    expect(keys).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, ".form-backend/.gitignore"), "utf8")).toBe("*\n");
  },
);

function link(cwd: string, name: string, target: string): void {
  const path = join(cwd, "node_modules", name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}
