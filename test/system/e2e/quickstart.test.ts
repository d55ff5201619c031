import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import { createFormBackend, type Form, type JobView } from "../../../src/index.ts";
import { describeBrowser } from "../../_support/browser.ts";
import { freePort } from "../../_support/port.ts";
import { built, ROOT, type RunningScript, startScript } from "./_example.ts";

const PATIENCE = { timeout: 30_000, interval: 100 };

let dir: string;
let port: number;
let site: string;
let demo: Demo | undefined;

interface Demo extends RunningScript {
  /** Asks the management API with exactly the URL and the header of the printed curl line. */
  forms(): Promise<Form[]>;
}

beforeAll(built);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "form-backend-demo-"));
  port = await freePort();
  site = `http://localhost:${port}`;
});

afterEach(async () => {
  await demo?.end("SIGKILL");
  demo = undefined;
  await rm(dir, { recursive: true });
});

describeBrowser("quickstart in the browser, without script", (browser) => {
  const open = async (options: { width?: number } = {}): Promise<Page> => {
    const context = await browser().newContext({
      javaScriptEnabled: false,
      viewport: { width: options.width ?? 1280, height: 800 },
    });
    return context.newPage();
  };

  test("a submission shows the thank-you page, is mailed, posted to the verified webhook and counted", async () => {
    demo = await startDemo();
    const page = await open();

    expect(await submit(page, { name: "Ann <b>Lee</b>", email: "ann@example.org", message: "Hello\nthere" })).toBe(303);
    expect(await page.textContent("h1")).toBe("Thank you!");
    await page.click("text=Return");
    expect(page.url()).toBe(`${site}/`);

    await expect.poll(() => mails(page), PATIENCE).toEqual(["New submission: Contact"]);
    await page.click(".list a");
    expect(await page.textContent("dl")).toMatch(/To\s*owner@example\.com\s*Reply to\s*ann@example\.org/);
    const letter = page.frameLocator("iframe").locator("body");
    const shown = await letter.innerText();
    expect(shown).toContain("Ann <b>Lee</b>");
    expect(shown).toContain("Hello\nthere");

    await expect.poll(() => webhooks(page), PATIENCE).toEqual(["✓ verified"]);
    const event = JSON.parse((await page.textContent("pre")) ?? "");
    expect(event).toMatchObject({ type: "submission.created", data: { spam: false, referer: `${site}/` } });
    expect(event.data.fields).toContainEqual({ key: "name", value: "Ann <b>Lee</b>" });

    const forms = await demo.forms();
    expect(forms).toHaveLength(1);
    expect(forms[0]).toMatchObject({ name: "Contact", submissions: { all_time: 1, this_month: 1 } });
    expect(forms[0]?.webhooks[0]?.last_delivery).toMatchObject({ status: "succeeded", response_status: 204 });
  });

  test("an answer arrives in the mailbox, and what is written back there stands in the inbox", async () => {
    demo = await startDemo();
    const page = await open();
    await submit(page, { name: "Ann", email: "ann@example.org", message: "Do you open on Sundays?" });
    await page.goto(`${site}/inbox`);
    await page.click("main button");
    await page.goto(`${site}/forms/inbox/all`);
    await page.click("a[href*='/s/']");
    await page.fill("#reply-text", "Yes, at nine.");
    await page.click("button[value=send]");
    const answers = async () => (await mails(page)).filter((subject) => subject.startsWith("Re:"));
    // Ten seconds to take it back.
    await expect.poll(answers, PATIENCE).toHaveLength(1);
    await page.click(".list a:has-text('Re:')");
    await page.fill("#text", "And at Easter?");
    const address = page.url();
    await page.click("button");
    expect(await page.textContent("h1")).toBe("Your mail is on its way");
    await page.goto(`${site}/forms/inbox/all`);
    await page.click("a[href*='/s/']");
    expect(await page.locator(".messages .value").allTextContents()).toEqual(["Yes, at nine.", "And at Easter?"]);
    expect(await mails(page), "the visitor's mail went to the backend").toHaveLength(3);

    const stranger = {
      method: "POST",
      headers: { origin: "https://evil.example" },
      body: new URLSearchParams({ text: "x" }),
    };
    expect((await fetch(`${address}/answer`, stranger)).status).toBe(403);
  });

  test("kill -9 loses nothing: all is there after a restart, and what was still due arrives", async () => {
    demo = await startDemo();
    const page = await open();
    await submit(page, { name: "Ann", email: "ann@example.org", message: "first" });
    await expect.poll(() => mails(page), PATIENCE).toHaveLength(1);
    await expect.poll(() => webhooks(page), PATIENCE).toHaveLength(1);

    await writeFile(join(dir, "offline"), "");
    expect(await submit(page, { name: "Bob", email: "bob@example.org", message: "second" })).toBe(303);
    // A job that is running at the kill comes back with its lease, minutes later; here both wait for their next attempt.
    await expect.poll(retrying, PATIENCE).toEqual(["owner_email", "webhook"]);
    expect(await mails(page)).toHaveLength(1);
    await demo.end("SIGKILL");
    await rm(join(dir, "offline"));

    const before = demo.greeting;
    demo = await startDemo();
    // The link to the inbox is good for one use, so each start prints a new one.
    const lasting = (greeting: string): string => greeting.replace(/token=\S+/, "token");
    expect(lasting(demo.greeting)).toBe(lasting(before));
    await expect.poll(() => mails(page), PATIENCE).toHaveLength(2);
    await expect.poll(() => webhooks(page), PATIENCE).toEqual(["✓ verified", "✓ verified"]);
    expect(await page.textContent("pre >> nth=0")).toContain("second");
    expect(await page.textContent("pre >> nth=1")).toContain("first");
    const forms = await demo.forms();
    expect(forms.map(({ submissions }) => submissions.all_time)).toEqual([2]);
    expect(await retrying()).toEqual([]);
  });

  test("a webhook that nobody signed is shown as not verified", async () => {
    demo = await startDemo();
    const answer = await fetch(`${site}/webhooks`, { method: "POST", body: '{"type":"<script>"}' });
    expect(answer.status).toBe(401);
    const page = await open();
    expect(await webhooks(page)).toEqual(["✗ not verified"]);
    expect(await page.textContent(".row strong")).toBe("<script>");
  });

  test("every page fits 320 pixels and loads nothing from elsewhere", async () => {
    demo = await startDemo();
    const page = await open({ width: 320 });
    const asked = new Set<string>();
    page.on("request", (request) => asked.add(new URL(request.url()).origin));
    const overflow = () => page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");

    await page.goto(`${site}/`);
    expect(await overflow()).toBe(0);
    await submit(page, { name: "Ann", email: "ann@example.org", message: "wide".repeat(100) });
    expect(await overflow()).toBe(0);
    await page.goto((await demo.forms())[0]!.endpoint);
    expect(await overflow()).toBe(0);
    await expect.poll(() => mails(page), PATIENCE).toHaveLength(1);
    expect(await overflow()).toBe(0);
    await page.click(".list a");
    expect(await overflow()).toBe(0);
    await expect.poll(() => webhooks(page), PATIENCE).toHaveLength(1);
    await page.click("summary");
    expect(await overflow()).toBe(0);
    expect([...asked]).toEqual([site]);
  });
});

describe("quickstart as a process", () => {
  test("SIGTERM ends it with status 0, and nobody but its owner can read the key", async () => {
    demo = await startDemo();
    expect((await stat(join(dir, "settings.json"))).mode & 0o777).toBe(0o600);
    expect((await stat(dir)).mode & 0o077).toBe(0);
    expect(await demo.end("SIGTERM")).toEqual({ code: 0, signal: null });
  });

  test("a port that is taken is named, with the way out", async () => {
    demo = await startDemo();
    await expect(startDemo()).rejects.toThrow(
      `Port ${port} is taken. Choose another one: PORT=${port + 1} npm run demo`,
    );
  });

  test("another port than before: the webhook follows", async () => {
    demo = await startDemo();
    await demo.end("SIGTERM");
    port = await freePort();
    site = `http://localhost:${port}`;
    demo = await startDemo();
    const forms = await demo.forms();
    expect(forms.map(({ webhooks }) => webhooks.map(({ url }) => url))).toEqual([[`${site}/webhooks`]]);
    expect(forms[0]?.endpoint.startsWith(`${site}/forms/f/`)).toBe(true);
  });
});

test("the app in README.md runs as it is pasted", async () => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const app = /```js\n(import express[\s\S]*?)```/.exec(readme)?.[1] ?? "";
  expect(app.trim().split("\n").filter(Boolean).length).toBeLessThanOrEqual(15);
  await writeFile(join(dir, "app.mjs"), app.replaceAll("3000", String(port)));
  await mkdir(join(dir, "node_modules"));
  await symlink(ROOT, join(dir, "node_modules/form-backend"), "dir");
  await symlink(join(ROOT, "node_modules/express"), join(dir, "node_modules/express"), "dir");
  // Under a test runner the log would be quiet.
  const { NODE_ENV: _, ...env } = process.env;
  const child = spawn(process.execPath, ["app.mjs"], { cwd: dir, env, stdio: ["ignore", "inherit", "pipe"] });
  const exit = once(child, "exit");
  try {
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    const page = () =>
      fetch(site).then(
        (response) => response.text(),
        () => "",
      );
    await expect.poll(page, PATIENCE).toContain("<form");
    const [, action = ""] = /action="([^"]+)"/.exec(await page()) ?? [];
    const answer = await fetch(action, {
      method: "POST",
      headers: { accept: "text/html" },
      body: new URLSearchParams({ email: "ann@example.org" }),
    });
    expect(await answer.text()).toContain("Thank you!");
    await expect.poll(() => printed, PATIENCE).toMatch(/To: .*you@example\.com[\s\S]*email: ann@example\.org/);
  } finally {
    child.kill("SIGKILL");
    await exit;
  }
});

async function startDemo(): Promise<Demo> {
  const env = { PORT: String(port), DEMO_DIR: dir };
  const running = await startScript(["examples/quickstart/server.mjs"], env, "Stop with Ctrl-C.");
  return {
    ...running,
    async forms() {
      const [, url, name, value] = /^ +curl -s (\S+) -H "(.+): (.+)"$/m.exec(running.greeting) ?? [];
      const response = await fetch(url!, { headers: { [name!]: value! } });
      expect(response.status).toBe(200);
      return ((await response.json()) as { data: Form[] }).data;
    },
  };
}

async function submit(page: Page, values: Record<string, string>): Promise<number | undefined> {
  await page.goto(`${site}/`);
  for (const [name, value] of Object.entries(values)) await page.fill(`[name=${name}]`, value);
  const [response] = await Promise.all([
    page.waitForResponse((answer) => answer.request().method() === "POST"),
    page.click("button"),
  ]);
  await page.waitForLoadState();
  return response.status();
}

async function mails(page: Page): Promise<string[]> {
  await page.goto(`${site}/mailbox`);
  return page.locator(".list strong").allTextContents();
}

async function webhooks(page: Page): Promise<string[]> {
  await page.goto(`${site}/webhooks`);
  return page.locator(".badge").allTextContents();
}

/** Looks into the demo's store from a second process, as a host's script would. */
async function retrying(): Promise<JobView["kind"][]> {
  const { secret } = JSON.parse(await readFile(join(dir, "settings.json"), "utf8"));
  const storage = sqliteStorage({ path: join(dir, "forms.db") });
  const backend = createFormBackend({ baseUrl: `${site}/forms`, secret, storage, work: false });
  try {
    return (await backend.jobs.list({ status: "retrying" })).map(({ kind }) => kind).sort();
  } finally {
    await backend.close();
  }
}
