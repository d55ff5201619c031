// @ts-check
// Vercel on your own machine: builds the page, then serves it and the functions, each request under the address that vercel.json
// rewrites it to. `npm run example vercel`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { serve } from "srvx";

const port = Number(process.env.PORT ?? 3000);
const site = `http://localhost:${port}`;
process.env.FORMS_URL ??= `${site}/forms`;
/** Work for which Vercel keeps a function alive. */
const running = new Set();
/** @param {Promise<unknown>} work */
const waitUntil = (work) => {
  const ended = work.catch(console.error).finally(() => running.delete(ended));
  running.add(ended);
};
globalThis[Symbol.for("@vercel/request-context")] = { get: () => ({ waitUntil }) };

execFileSync(process.execPath, ["build.mjs"], { cwd: import.meta.dirname, stdio: "inherit" });
const forms = await import("./api/forms.mjs");
const due = await import("./api/due.mjs");
const { backend } = await import("./forms.mjs");
const page = readFileSync(new URL("public/index.html", import.meta.url));

const server = serve({
  port,
  silent: true,
  gracefulShutdown: false,
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/") return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
    if (pathname === "/api/due") return due.GET(request);
    const [, path] = /^\/forms\/(.*)$/.exec(pathname) ?? [];
    if (path === undefined) return new Response("Not found\n", { status: 404 });
    const handle = forms[request.method];
    if (!handle) return new Response(null, { status: 405 });
    const rewritten = new URL(`/api/forms?__path=${path}&${search.slice(1)}`, request.url);
    return handle(new Request(rewritten, request));
  },
});
await server.ready();
console.log(`Listening on ${site}`);

async function stop() {
  await Promise.all(running);
  await server.close(true);
  await backend.close();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
