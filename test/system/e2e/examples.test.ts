import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import { createFormBackend, type Submission } from "../../../src/index.ts";
import { describeBrowser, faultsOf } from "../../_support/browser.ts";
import { built, ROOT, type RunningExample, startExample } from "./_example.ts";

/** What is typed into each form, and the heading of the page that thanks for it. */
const sites: Record<string, { fields: Record<string, string>; file?: string }> = {
  express: { fields: { name: "Ann <b>Lee</b>", email: "ann@example.org", message: "Hello\nthere" } },
  koa: { fields: { email: "ann@example.org", consent: "yes" } },
  fastify: { fields: { name: "Ann", email: "ann@example.org" }, file: "cv" },
  node: { fields: { rating: "so-so", comment: "Grüße" } },
  hono: { fields: { name: "Ann", email: "ann@example.org", seats: "2" } },
};

let dir: string;
let running: RunningExample | undefined;

beforeAll(built);
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "form-backend-example-"));
});
afterEach(async () => {
  await running?.end("SIGKILL");
  running = undefined;
  await rm(dir, { recursive: true });
});

describe("examples", () => {
  const folders = readdirSync(join(ROOT, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(ROOT, "examples", entry.name, "form.html")))
    .map(({ name }) => name);

  test("each has a README, and is listed", () => {
    const index = readFileSync(join(ROOT, "examples/README.md"), "utf8");
    const listed = [...index.matchAll(/^\| \[`([\w-]+)`\]\(\1\) \|/gm)].map(([, name = ""]) => name);
    const there = readdirSync(join(ROOT, "examples"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "node_modules")
      .map(({ name }) => name);
    expect(listed.sort()).toEqual(there.sort());
    expect(there.filter((name) => !existsSync(join(ROOT, "examples", name, "README.md")))).toEqual([]);
  });

  test("the script starts those that have something to start, and leads to the README of the others", async () => {
    const child = spawn(process.execPath, ["scripts/example.mjs", "standalone"], { cwd: ROOT });
    const [printed, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
    expect(code).toBe(1);
    expect(printed).toContain("examples/standalone/README.md");
    const names = /one of: (.*)/.exec(printed)?.[1]?.split(", ") ?? [];
    const index = readFileSync(join(ROOT, "examples/README.md"), "utf8");
    const listed = [...index.matchAll(/^\| \[`([\w-]+)`\]/gm)].map(([, name = ""]) => name);
    expect(names.sort()).toEqual(
      listed.filter((name) => !["standalone", "form-libraries", "observability"].includes(name)).sort(),
    );
  });

  test("each with a form is submitted below", () => {
    expect(Object.keys(sites).sort()).toEqual(folders);
  });

  test("their forms look alike", () => {
    const styles = folders.map((name) => /<style>[\s\S]*<\/style>/.exec(readFileSync(formOf(name), "utf8"))?.[0]);
    expect(styles[0]).toContain("color-scheme: light dark");
    expect(new Set(styles).size).toBe(1);
  });

  test("`npm run example` starts one", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(scripts.example).toMatch(/\bnode scripts\/example\.mjs$/);
  });

  test("each declares the packages that it imports, and names its one command", () => {
    for (const name of folders) {
      const { dependencies } = JSON.parse(readFileSync(join(ROOT, "examples", name, "package.json"), "utf8"));
      const source = readFileSync(join(ROOT, "examples", name, "server.mjs"), "utf8");
      const imported = [...source.matchAll(/ from "((?:@[^/"]+\/)?[^/"]+)/g)].map(([, from = ""]) => from);
      const packages = imported.filter((from) => !from.startsWith("node:"));
      expect([...new Set(packages)].sort(), name).toEqual(Object.keys(dependencies).sort());
      const readme = readFileSync(join(ROOT, "examples", name, "README.md"), "utf8");
      expect(readme, name).toContain(`npm install && npm run example ${name}\n`);
    }
  });
});

describe("examples that are tests", () => {
  for (const [name, passed] of [
    // Node 20 writes TAP into a pipe, Node 24 what it writes to a terminal.
    ["custom-driver", /[#ℹ] pass 15\n[#ℹ] fail 0\n/],
    ["testing", /Tests\s+4 passed \(4\)/],
  ] as const) {
    test(`${name} passes`, async () => {
      // Neither the runner around it nor its colours.
      const { NODE_ENV: _, VITEST: __, NODE_TEST_CONTEXT: ___, FORCE_COLOR: ____, ...env } = process.env;
      const child = spawn(process.execPath, ["scripts/example.mjs", name], {
        cwd: ROOT,
        env: { ...env, NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [printed] = await Promise.all([text(child.stdout), once(child, "exit")]);
      expect(printed).toMatch(passed);
      expect(child.exitCode).toBe(0);
    });
  }
});

const formOf = (name: string): string => join(ROOT, "examples", name, "form.html");

describeBrowser("examples in the browser, without script", (browser) => {
  for (const [name, { fields, file }] of Object.entries(sites)) {
    test(`${name}: the form is sent, thanked for and stored, and a SIGTERM ends it`, async () => {
      running = await startExample(name, dir);
      const context = await browser().newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(running.site);
      await fill(page, fields, file);
      await page.click("button");
      await page.waitForLoadState();
      expect(await page.textContent("h1")).toBe("Thank you!");
      await context.close();

      const [submission, ...others] = await stored();
      expect(others).toEqual([]);
      expect(
        Object.fromEntries(submission?.fields.map(({ key, value }) => [key, value.replaceAll("\r", "")]) ?? []),
      ).toEqual(fields);
      expect(submission?.ip).toMatch(/^(127\.0\.0\.1|::1)$/);
      expect(submission?.attachments.map(({ key, mime_type }) => [key, mime_type])).toEqual(
        file ? [[file, "text/plain"]] : [],
      );
      await expect.poll(() => running?.printed()).toContain("stored");
      expect(await running.end("SIGTERM")).toEqual({ code: 0, signal: null });
    });
  }

  test("their forms: axe-core finds nothing, light or dark, and 320 px are enough", async () => {
    for (const name of Object.keys(sites)) {
      for (const colorScheme of ["light", "dark"] as const) {
        const page = await browser().newPage({ viewport: { width: 320, height: 640 }, colorScheme });
        await page.setContent(readFileSync(formOf(name), "utf8"));
        expect(await faultsOf(page), `${name}, ${colorScheme}`).toEqual([]);
        const width = await page.evaluate("document.documentElement.scrollWidth");
        expect(width, `${name}, ${colorScheme}`).toBeLessThanOrEqual(320);
        await page.close();
      }
    }
  });
});

async function fill(page: Page, fields: Record<string, string>, file: string | undefined): Promise<void> {
  for (const [key, value] of Object.entries(fields)) {
    const control = page.locator(`[name="${key}"]`);
    const kind = await control.first().getAttribute("type");
    if (kind === "radio" || kind === "checkbox") await page.check(`[name="${key}"][value="${value}"]`);
    else if ((await control.evaluate((element) => (element as { tagName?: string }).tagName)) === "SELECT")
      await control.selectOption(value);
    else await control.fill(value);
  }
  if (!file) return;
  await page.setInputFiles(`[name="${file}"]`, {
    name: "cv.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("Twenty years of forms."),
  });
}

/** What lies in the example's store, seen from a second process as a host's own script would. */
async function stored(): Promise<Submission[]> {
  const storage = sqliteStorage({ path: join(dir, "forms.db") });
  const backend = createFormBackend({ baseUrl: "http://localhost/forms", storage, work: false });
  try {
    return (await backend.submissions.list(null, {})).data;
  } finally {
    await backend.close();
  }
}
