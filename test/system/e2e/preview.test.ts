import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../../_support/port.ts";
import { type RunningScript, startScript } from "./_example.ts";

let preview: RunningScript;
let origin: string;

beforeAll(async () => {
  const port = String(await freePort());
  origin = `http://localhost:${port}`;
  preview = await startScript(["scripts/preview/server.mjs"], { PORT: port }, origin);
}, 300_000);
afterAll(async () => {
  expect((await preview.end("SIGTERM")).code).toBe(0);
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
}, 300_000);

test("what is not there is 404", async () => {
  for (const path of ["/nothing", "/page/thank-you/fancy/light/nothing/teal", "/mail/nothing/fancy/light/short/teal"])
    expect((await fetch(origin + path)).status, path).toBe(404);
});
