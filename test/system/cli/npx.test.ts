import { execFile, spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it, vi } from "vitest";
import { atEndOfFile } from "../../_support/cleanup.ts";
import { pack, UNREACHABLE } from "../../_support/install.ts";
import { notRun } from "../../_support/not-run.ts";
import { temporaryDirectory } from "../../_support/temporary.ts";

const name =
  "npx --package=<tarball> form-backend dev makes a form that works in an empty folder, with nothing installed before";

/** False if the package registry can't be reached. One that knows no ping answers, too. */
const isReachable = await promisify(execFile)("npm", ["ping"], { timeout: 60_000 }).then(
  () => true,
  ({ stderr, killed }: { stderr?: unknown; killed?: boolean }) => !killed && !UNREACHABLE.test(String(stderr)),
);
if (isReachable) it(name, installsAndRuns);
else notRun(`${name}: the package registry can't be reached`);

async function installsAndRuns(): Promise<void> {
  const tarball = await pack();
  const [cwd, cache] = [temporaryDirectory(), temporaryDirectory()];
  const began = performance.now();
  // One step. A group of its own, because npx starts the command in another process.
  const child = spawn("npx", ["--yes", `--package=${tarball}`, "form-backend", "dev", "--port", "0", "--json"], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: cwd, npm_config_cache: cache },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const stop = (signal: NodeJS.Signals): void => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, signal);
  };
  atEndOfFile(() => stop("SIGKILL"));
  const said = { out: "", err: "" };
  child.stdout.on("data", (part) => (said.out += String(part)));
  child.stderr.on("data", (part) => (said.err += String(part)));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const started = vi.waitFor(() => expect(said.out).toContain("\n"), { timeout: 200_000, interval: 100 });
  await Promise.race([started, ended]);
  const seconds = (performance.now() - began) / 1_000;
  expect(said.out, said.err).toContain("\n");
  const places = JSON.parse(said.out.split("\n")[0] ?? "") as Record<string, string>;

  const page = async (url = "", init?: RequestInit): Promise<string> => (await fetch(url, init)).text();
  const form = await page(places["form"]);
  const [, endpoint = ""] = /action="([^"]+)"/.exec(form) ?? [];
  const fields = { name: "Ann Lee", email: "ann@example.com", message: "Hello" };
  const posted = await fetch(endpoint, {
    method: "POST",
    body: new URLSearchParams(fields),
    headers: { accept: "text/html" },
  });
  expect(posted.status).toBe(200);
  expect(posted.url).toContain("/thanks/");

  await vi.waitFor(
    async () => {
      expect(await page(places["mailbox"])).toContain("owner@example.com");
      expect(await page(places["webhooks"])).toContain("✓ verified");
    },
    { timeout: 60_000, interval: 200 },
  );
  // The link asks for one click, so that no preview of a chat uses it up.
  const link = new URL(places["inbox"] ?? "");
  const entered = await fetch(`${link.origin}${link.pathname}`, {
    method: "POST",
    body: new URLSearchParams({ token: link.searchParams.get("token") ?? "" }),
    headers: { origin: link.origin, "sec-fetch-site": "same-origin" },
    redirect: "manual",
  });
  const cookie = entered.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const id = endpoint.split("/").at(-1);
  expect(await page(`${places["url"]}/inbox/f/${id}`, { headers: { cookie } })).toContain("ann@example.com");
  expect(readdirSync(cwd).filter((name) => name !== ".npm")).toEqual([".form-backend"]);
  console.log(`npx form-backend dev: 1 step, ${seconds.toFixed(1)} s with an empty cache of npm`);

  stop("SIGINT");
  await ended;
}
