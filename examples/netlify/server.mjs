// @ts-check
// Netlify on your own machine: builds the page, then serves it and the function at its path, and runs the scheduled one every minute.
// `npm run example netlify`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { serve } from "srvx";

const port = Number(process.env.PORT ?? 3000);
const site = `http://localhost:${port}`;
process.env.FORMS_URL ??= `${site}/forms`;
/** Work for which Netlify keeps a function alive. */
const running = new Set();
/** @param {Promise<unknown>} work */
const waitUntil = (work) => {
  const ended = work.catch(console.error).finally(() => running.delete(ended));
  running.add(ended);
};

execFileSync(process.execPath, ["build.mjs"], { cwd: import.meta.dirname, stdio: "inherit" });
const { default: forms } = await import("./netlify/functions/forms.mjs");
const { default: due } = await import("./netlify/functions/due.mjs");
const { backend } = await import("./forms.mjs");
const page = readFileSync(new URL("public/index.html", import.meta.url));

const server = serve({
  port,
  silent: true,
  gracefulShutdown: false,
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return new Response(page, { headers: { "content-type": "text/html; charset=utf-8" } });
    if (!/^\/forms(\/|$)/.test(pathname)) return new Response("Not found\n", { status: 404 });
    return forms(request, { ip: request.ip ?? "", waitUntil });
  },
});
await server.ready();
const schedule = setInterval(() => waitUntil(due()), 60_000);
console.log(`Listening on ${site}`);

async function stop() {
  clearInterval(schedule);
  await Promise.all(running);
  await server.close(true);
  await backend.close();
}
process.once("SIGINT", stop);
process.once("SIGTERM", stop);
