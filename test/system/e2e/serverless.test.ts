import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { postgresStorage } from "../../../src/drivers/storage/postgres.ts";
import { createFormBackend } from "../../../src/index.ts";
import { freePort } from "../../_support/port.ts";
import { describePostgres, type TemporaryDatabase, temporaryDatabase } from "../../_support/postgres.ts";
import { startSmtpServer, type TestSmtpServer } from "../../_support/smtp.ts";
import { built, ROOT } from "./_example.ts";
import { start } from "./_frozen.ts";

const SECRET = "a secret of these tests that is long enough";
const PLATFORMS = ["vercel", "netlify", "lambda", "cloud-run"] as const;

built();

/** The code of the page, as its readers have it, beside a module in place of Vercel's. */
function pageCode(): string {
  const dir = mkdtempSync(join(tmpdir(), "form-backend-serverless-"));
  const page = readFileSync(join(ROOT, "docs/operations/serverless.md"), "utf8");
  for (const [, name = "", code = ""] of page.matchAll(/^```js \[([\w-]+\.mjs)\]\n([\s\S]*?)^```$/gm))
    writeFileSync(join(dir, name), code);
  mkdirSync(join(dir, "node_modules/@vercel/functions"), { recursive: true });
  writeFileSync(
    join(dir, "node_modules/@vercel/functions/package.json"),
    '{ "name": "@vercel/functions", "type": "module", "exports": "./index.js" }',
  );
  writeFileSync(
    join(dir, "node_modules/@vercel/functions/index.js"),
    "export const waitUntil = (work) => globalThis.platformWaitUntil(work);",
  );
  symlinkSync(ROOT, join(dir, "node_modules/form-backend"), "dir");
  for (const name of ["srvx", "pg", "nodemailer"])
    symlinkSync(join(ROOT, "node_modules", name), join(dir, "node_modules", name), "dir");
  copyFileSync(join(ROOT, "test/system/e2e/serverless-host.mjs"), join(dir, "host.mjs"));
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
  return dir;
}

describePostgres("the code of the page on serverless hosts, frozen between requests", () => {
  let dir: string;
  let database: TemporaryDatabase;
  let smtp: TestSmtpServer;
  let path: string;
  const env = async (): Promise<Record<string, string>> => ({
    FORMS_SECRET: SECRET,
    DATABASE_URL: database.url,
    SMTP_URL: smtp.url,
    S3_ENDPOINT: "https://s3.example.com",
    S3_KEY: "key",
    S3_SECRET: "secret",
    PORT: String(await freePort()),
  });

  beforeAll(async () => {
    dir = pageCode();
    database = await temporaryDatabase();
    smtp = await startSmtpServer();
    const backend = createFormBackend({
      baseUrl: "https://app.example.com/forms",
      secret: SECRET,
      storage: postgresStorage({ connectionString: database.url }),
      work: false,
    });
    const form = await backend.forms.create({
      name: "Contact",
      self_email_notification: { recipients: ["you@example.com"] },
    });
    path = new URL(form.endpoint).pathname;
    await backend.close();
  });
  afterAll(async () => {
    await smtp.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const arrived = (text: string): number => smtp.messages.filter((mail) => mail.text.includes(text)).length;
  const postOf = (text: string) => ({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: `message=${text}`,
  });

  for (const platform of PLATFORMS) {
    it(`${platform}: a post's mail has left before the freeze, and a thaw with dead sockets serves on`, async () => {
      const instance = await start(dir, platform, await env());
      const first = `${platform}-first`;
      expect(await instance.ask(postOf(first))).toMatchObject({ status: 200 });
      // Nobody has asked again, and nothing runs any more.
      expect(arrived(first)).toBe(1);

      // While it stood still, the database has hung up on it.
      await database.pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
      );
      const second = `${platform}-second`;
      let answer = await instance.ask(postOf(second));
      // A post on a dead connection is told to come again, and then it is taken.
      if (answer.status === 503) answer = await instance.ask(postOf(second));
      expect(answer).toMatchObject({ status: 200 });
      await instance.ask({ scheduled: true });
      expect(arrived(second)).toBe(1);
      await instance.kill();
    });
  }

  it("a post whose instance was killed with its mail is done by the schedule of another", async () => {
    const gone = await start(dir, "netlify", await env());
    // Its platform keeps nothing alive after the response.
    const unlucky = postOf("killed");
    smtp.script = () => "hang";
    await gone.ask({ ...unlucky, cut: true });
    await gone.kill();
    smtp.script = () => undefined;
    expect(arrived("killed")).toBe(0);
    // Its claim on the mail has expired, as it does after two minutes.
    const past = new Date(Date.now() - 1_000).toISOString();
    await database.pool.query(`UPDATE ${await jobsTable(database)} SET due_at = $1 WHERE due_at IS NOT NULL`, [past]);
    const other = await start(dir, "netlify", await env());
    await expect
      .poll(
        async () => {
          await other.ask({ scheduled: true });
          return arrived("killed");
        },
        { interval: 200 },
      )
      .toBe(1);
    await other.kill();
  });
});

/** The table of jobs, wherever the driver has put it. */
async function jobsTable({ pool }: TemporaryDatabase): Promise<string> {
  const { rows } = await pool.query(
    "SELECT table_schema || '.' || table_name AS name FROM information_schema.tables WHERE table_name LIKE '%jobs'",
  );
  return (rows[0] as { name: string }).name;
}
