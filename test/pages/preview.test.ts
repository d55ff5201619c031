import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
let preview: ChildProcess;
let origin: string;

beforeAll(async () => {
  // `npm test` has built it; a single run of this file has perhaps not.
  if (!existsSync(resolve(ROOT, "dist/testing.js"))) execFileSync("npm", ["run", "-s", "build"], { cwd: ROOT });
  const port = await freePort();
  origin = `http://localhost:${port}`;
  preview = spawn(process.execPath, ["examples/preview/server.mjs"], {
    cwd: ROOT,
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise<void>((ready, fail) => {
    preview.stdout?.on("data", (text) => String(text).includes(origin) && ready());
    preview.once("exit", (code) => fail(new Error(`the preview ended with ${code}`)));
  });
}, 60_000);
afterAll(async () => {
  if (preview.exitCode !== null) return;
  const ended = new Promise((done) => preview.once("exit", done));
  preview.kill("SIGTERM");
  expect(await ended).toBe(0);
});

const samples = ["short", "long", "rtl", "hostile"];

test("the overview links to every page and mail in every theme and mode, and each of them is there", async () => {
  let seen = 0;
  for (const show of ["thank-you", "error", "endpoint", "notification", "auto-response"]) {
    for (const sample of samples) {
      const overview = await fetch(`${origin}/?show=${show}&sample=${sample}&colours=teal`);
      expect(overview.status).toBe(200);
      const sources = [...(await overview.text()).matchAll(/<iframe[^>]* src="([^"]+)"/g)].map(([, src]) => src ?? "");
      expect(sources).toHaveLength(show === "notification" || show === "auto-response" ? 6 : 9);
      for (const source of sources) {
        const view = await fetch(origin + source);
        const status = show === "endpoint" ? 405 : show === "error" ? 422 : 200;
        expect(view.status, source).toBe(status);
        expect(await view.text(), source).toMatch(/^<!doctype html>|^From: /);
        seen++;
      }
    }
  }
  expect(seen).toBe(4 * (3 * 9 + 2 * 6));
}, 60_000);

test("what is not there is 404", async () => {
  for (const path of ["/nothing", "/page/thank-you/fancy/light/nothing/teal", "/mail/nothing/fancy/light/short/teal"])
    expect((await fetch(origin + path)).status, path).toBe(404);
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
