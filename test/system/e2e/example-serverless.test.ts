import { execFile } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { postgresStorage } from "../../../src/drivers/storage/postgres.ts";
import { createFormBackend, type FormBackend } from "../../../src/index.ts";
import { describeBrowser } from "../../_support/browser.ts";
import { describePostgres, type TemporaryDatabase, temporaryDatabase } from "../../_support/postgres.ts";
import { temporaryDirectory } from "../../_support/temporary.ts";
import { built, ROOT, type RunningExample, startExample } from "./_example.ts";
import { start } from "./_frozen.ts";

const SECRET = "a secret of these tests that is long enough";
const SITE = "https://app.example.com";
/** Each with the variables that its platform sets. */
const PLATFORMS = {
  vercel: { VERCEL: "1", VERCEL_PROJECT_PRODUCTION_URL: "app.example.com" },
  netlify: { NETLIFY: "true", URL: SITE },
} as const;

built();

/** The example as its reader has copied it, with what `npm install` puts there. */
function copied(name: string): string {
  const dir = temporaryDirectory();
  cpSync(join(ROOT, "examples", name), dir, {
    recursive: true,
    filter: (source) => !/[/\\](node_modules|data|public)$/.test(source),
  });
  const { dependencies } = JSON.parse(readFileSync(join(dir, "package.json"), "utf8"));
  mkdirSync(join(dir, "node_modules/@vercel"), { recursive: true });
  for (const each of Object.keys(dependencies))
    symlinkSync(
      each === "form-backend" ? ROOT : join(ROOT, "node_modules", each),
      join(dir, "node_modules", each),
      "dir",
    );
  copyFileSync(join(ROOT, "test/system/e2e/serverless-host.mjs"), join(dir, "host.mjs"));
  return dir;
}

const build = (dir: string, env: Record<string, string>) =>
  promisify(execFile)(process.execPath, ["build.mjs"], { cwd: dir, env: { PATH: process.env["PATH"], ...env } });

describePostgres("examples of serverless platforms, frozen between requests", () => {
  let database: TemporaryDatabase;
  let backend: FormBackend;
  beforeAll(async () => {
    database = await temporaryDatabase();
    backend = createFormBackend({
      baseUrl: `${SITE}/forms`,
      secret: SECRET,
      storage: postgresStorage({ connectionString: database.url }),
      work: false,
    });
  });
  afterAll(() => backend.close());

  for (const [name, own] of Object.entries(PLATFORMS)) {
    it(`${name}: the build makes the form once, and a post's mail has left before the freeze`, async () => {
      const dir = copied(name);
      const env = {
        ...own,
        NODE_ENV: "production",
        DATABASE_URL: database.url,
        FORM_BACKEND_SECRET: SECRET,
        CRON_SECRET: "of the schedule",
        OWNER: `${name}@example.com`,
      };
      for (let i = 0; i < 2; i++) await build(dir, env);
      const page = readFileSync(join(dir, "public/index.html"), "utf8");
      const [, path = ""] = new RegExp(`action="${SITE}(/forms/f/[^"]+)" method="post"`).exec(page) ?? [];
      const id = path.split("/").at(-1) ?? "";
      expect((await backend.forms.list()).data.map((form) => form.id)).toEqual([id]);

      const instance = await start(dir, `example-${name}`, env);
      const asked = {
        method: "POST",
        path,
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
      };
      const answer = await instance.ask({ ...asked, body: "name=Ann&email=ann%40example.org&message=Hello" });
      expect(answer).toMatchObject({ status: 200 });
      const [submission] = (await backend.submissions.list(id)).data;
      const jobs = await backend.jobs.list({ kind: "owner_email", submission_id: submission?.id ?? "" });
      expect(jobs.map(({ status }) => status)).toEqual(["succeeded"]);
      expect(instance.printed()).toContain("ann@example.org");
      expect([submission?.ip, submission?.fields.map(({ value }) => value)]).toEqual([
        name === "vercel" ? null : "203.0.113.9",
        ["Ann", "ann@example.org", "Hello"],
      ]);
      expect((await instance.ask({ method: "GET", path: "/forms/v1/health", headers: {} })).text).toContain('"ok"');
      expect(await instance.ask({ scheduled: true })).toMatchObject({ status: 200 });
      await instance.kill();
      await backend.forms.delete(id);
    });

    it(`${name}: a build without a database fails, and says what to set`, async () => {
      await expect(build(copied(name), { ...own, FORM_BACKEND_SECRET: SECRET })).rejects.toThrow("Set DATABASE_URL");
    });
  }
});

describeBrowser("examples of serverless platforms on one's own machine", (browser) => {
  for (const name of Object.keys(PLATFORMS)) {
    it(`${name}: its one command serves a page whose form is thanked for`, async () => {
      const dir = temporaryDirectory();
      const readme = readFileSync(join(ROOT, "examples", name, "README.md"), "utf8");
      expect(readme).toContain(`npm install && npm run example ${name}\n`);
      const running: RunningExample = await startExample(name, dir);
      const context = await browser().newContext({ javaScriptEnabled: false });
      try {
        const page = await context.newPage();
        await page.goto(running.site);
        for (const [field, value] of Object.entries({ name: "Ann", email: "ann@example.org", message: "Hello" }))
          await page.fill(`[name="${field}"]`, value);
        await page.click("button");
        await page.waitForLoadState();
        expect(await page.textContent("h1")).toBe("Thank you!");
        expect((await page.goto(`${running.site}/forms/inbox`))?.status()).toBeLessThan(500);
        expect(await running.end("SIGTERM")).toEqual({ code: 0, signal: null });
      } finally {
        await context.close();
        await running.end("SIGKILL");
        rmSync(dir, { recursive: true, force: true });
      }
    });
  }
});
