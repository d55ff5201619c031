import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { memoryMailer } from "../../src/drivers/mailer/memory.ts";
import { sqliteStorage } from "../../src/drivers/storage/sqlite.ts";
import { createFormBackend, type FormBackend } from "../../src/index.ts";
import { installFiles, pack, peerComplaints, run } from "../_support/install.ts";
import { startSmtpServer } from "../_support/smtp.ts";
import { type App, apps, dependenciesOf } from "./_apps.ts";
import { firstHour, stepsOf } from "./_hour.ts";
import { nuxt } from "./_nuxt.ts";
import { type Started, start } from "./_started.ts";

const SECRET = "a secret of these tests that is long enough";
const all: Record<string, App> = { ...apps, Nuxt: nuxt() };
/** One or some of them: `HOSTS=express,next npm run test:hosts-all`. */
const wanted = (process.env["HOSTS"] ?? "").toLowerCase().split(",");
const smtp = await startSmtpServer();
afterAll(() => smtp.close());

for (const [name, app] of Object.entries(all)) {
  if (!wanted.some((part) => name.toLowerCase().includes(part))) continue;

  describe(name, { concurrent: false }, () => {
    let dir = "";
    const hour = firstHour(name);
    const steps = stepsOf(app);
    // The library comes from the registry for a newcomer: they don't pack it.
    beforeAll(() => pack());
    afterAll(() => console.log(hour.row(steps)));
    const programs = async (each: readonly string[][]): Promise<void> => {
      for (const [program = "", ...args] of each) {
        const ran = await run(dir, process.execPath, [join("node_modules", program), ...args], { CI: "1", ...app.env });
        expect(ran.ok, `${program} ${args.join(" ")}:\n${ran.output}`).toBe(true);
      }
    };

    it("is installed without a word about peers", async () => {
      const { "package.json": own = "{}", ...files } = app.files;
      const manifest = { type: "module", ...JSON.parse(own), private: true, ...dependenciesOf(app) };
      const all = { ...files, "package.json": JSON.stringify(manifest) };
      const installed = await hour.part("install", () => installFiles(name, all));
      expect(installed, "the package registry can't be reached").not.toBeNull();
      expect(peerComplaints(installed?.output ?? "").filter((line) => line.includes("form-backend"))).toEqual([]);
      dir = installed?.dir ?? "";
    });

    it("is type-checked", () => hour.part("types", () => programs(app.check)));

    it("is built without a secret", () => hour.part("build", () => programs(app.build)));

    it("stores, mails and keeps 5 MB", async () => {
      const host = await hour.part("start", () => start(dir, app, (url) => ({ ...app.env, ...settings(url) })));
      onTestFinished(host.close);
      const path = join(dir, app.database ?? "forms.db");
      const own = createFormBackend({
        baseUrl: `${host.url}/forms`,
        secret: SECRET,
        storage: sqliteStorage({ path }),
        mailer: memoryMailer(),
        work: false,
      });
      onTestFinished(() => own.close());
      await hour.part("post to mail", () => posted(name, host, own));
      await uploaded(host, own, app.upload ?? 5 * 1024 * 1024);
      expect(host.printed()).not.toMatch(/\[form-backend\] (warn|error)/i);
    });

    it("takes five steps at most", () => expect(steps.length, steps.join(", ")).toBeLessThanOrEqual(5));

    if (app.sealed) {
      it("needs a secret without NODE_ENV too", async () => {
        const host = await start(dir, app, () => ({ ...app.env, NODE_ENV: "" }), 503);
        onTestFinished(host.close);
        expect(host.printed()).toContain("option `secret`: required");
      });
    }

    const { develop } = app;
    if (!develop) return;
    it("has one backend in a development server that evaluates its file anew", async () => {
      const host = await start(dir, { start: develop.args }, (url) => ({
        ...app.env,
        ...settings(url),
        NODE_ENV: "development",
      }));
      onTestFinished(host.close);
      // By process: some servers look at the routes in one of their own, too.
      const pids = (word: string): string[] =>
        [...host.printed().matchAll(new RegExp(`${word} (\\d+)`, "g"))].map(([, pid = ""]) => pid);
      const repeats = (word: string): number => pids(word).length - new Set(pids(word)).size;
      const before = repeats("EVALUATED");
      await appendFile(join(dir, develop.change), "\nexport const changed = true;\n");
      const evaluated = async (): Promise<number> => {
        await fetch(`${host.url}/forms/v1/health`);
        return repeats("EVALUATED");
      };
      await expect.poll(evaluated, { timeout: 60_000, interval: 500 }).toBeGreaterThan(before);
      expect(pids("MADE").length).toBeGreaterThan(0);
      expect(repeats("MADE")).toBe(0);
    });
  });
}

/** What runs in the place of the author's configuration, with nothing of what the backend keeps. */
const settings = (url: string): Record<string, string> => ({
  ORIGIN: url,
  FORMS_URL: `${url}/forms`,
  FORMS_SECRET: SECRET,
  FORM_BACKEND_URL: `${url}/forms`,
  FORM_BACKEND_SECRET: SECRET,
  SMTP_URL: smtp.url,
});

/** A post as a browser sends it, up to the page and the mail. */
async function posted(name: string, { url, printed }: Started, backend: FormBackend): Promise<void> {
  const address = `${name.replaceAll(/\W+/g, "-")}@example.com`;
  const form = await backend.forms.create({ name, self_email_notification: { recipients: [address] } });
  const answer = await fetch(`${url}/forms/f/${form.id}`, {
    method: "POST",
    body: new URLSearchParams({ email: "ann@example.org", message: "Grüße" }),
    headers: { origin: url, accept: "text/html" },
    redirect: "manual",
  });
  expect(answer.status, `${await answer.text()}\n${printed()}`).toBe(303);
  if (answer.headers.has("x-left")) expect(answer.headers.get("x-left")).toBe("0");
  const thanks = await fetch(new URL(answer.headers.get("location") ?? "", url));
  expect([thanks.status, thanks.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  const fields = [
    { key: "email", value: "ann@example.org" },
    { key: "message", value: "Grüße" },
  ];
  expect((await backend.submissions.list(form.id)).data).toMatchObject([{ fields }]);
  const arrived = () => smtp.messages.filter(({ to }) => to.some((one) => one.address === address));
  await expect.poll(arrived, { timeout: 30_000, message: printed() }).toHaveLength(1);
  expect(arrived()[0]?.text).toContain("Grüße");
}

/** A file, and the same bytes at its link. */
async function uploaded({ url, printed }: Started, backend: FormBackend, size: number): Promise<void> {
  const form = await backend.forms.create({ name: "Files", self_email_notification: { enabled: false } });
  const content = Buffer.alloc(size, "All of it arrives. ");
  const body = new FormData();
  body.append("file", new File([content], "long.txt", { type: "text/plain" }));
  const headers = { origin: url, accept: "application/json" };
  const answer = await fetch(`${url}/forms/f/${form.id}`, { method: "POST", body, headers });
  expect(answer.status, `${await answer.text()}\n${printed()}`).toBe(200);
  const [submission] = (await backend.submissions.list(form.id)).data;
  const link = await fetch(submission?.attachments[0]?.url ?? "");
  expect(link.status, printed()).toBe(200);
  expect(Buffer.from(await link.arrayBuffer()).equals(content)).toBe(true);
}
