import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { freePort } from "../../_support/port.ts";
import { built, ROOT } from "./_example.ts";

const PATIENCE = { timeout: 60_000, interval: 100 };

let dir: string;
let site: string;
let port: number;
let app: ChildProcess | undefined;
let printed: string;

beforeAll(built);
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "form-backend-newcomer-"));
  port = await freePort();
  site = `http://localhost:${port}`;
  printed = "";
  await mkdir(join(dir, "node_modules"));
  await symlink(ROOT, join(dir, "node_modules/form-backend"), "dir");
  await symlink(join(ROOT, "node_modules/express"), join(dir, "node_modules/express"), "dir");
});
afterEach(async () => {
  if (app?.exitCode === null) {
    app.kill("SIGKILL");
    await once(app, "exit");
  }
  await rm(dir, { recursive: true });
});

/** Saves what a reader has put together, and starts it as the page says. */
async function start(source: string): Promise<void> {
  await writeFile(join(dir, "app.mjs"), source.replaceAll("3000", String(port)));
  const { NODE_ENV: _, ...env } = process.env;
  app = spawn(process.execPath, ["app.mjs"], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [app.stdout, app.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (printed += text));
}

const page = (path = "/"): Promise<string> =>
  fetch(site + path).then(
    (response) => response.text(),
    () => "",
  );
const code = (text: string, beginning: string): string =>
  text
    .split("```js\n")
    .find((block) => block.startsWith(beginning))
    ?.split("```")[0] ?? "";
/** The sentence of the page has this piece of code, word for word. */
function quoted(text: string, piece: string): string {
  expect(text.replace(/\s+/g, " ")).toContain(`\`${piece}\``);
  return piece;
}

test("README alone leads to a form, its mail, the inbox and a webhook that is verified", async () => {
  const readme = await readFile(join(ROOT, "README.md"), "utf8");
  const option = quoted(readme, "inbox: inbox()");
  const local = quoted(readme, 'webhooks: { allowHttp: true, allowCidrs: ["127.0.0.0/8", "::1/128"] }');
  const create = quoted(readme, 'await backend.webhooks.create(form.id, { url: "https://example.com/hook" })');
  const source = code(readme, "import express")
    .replace("import { createFormBackend }", "import { createFormBackend, verifyWebhook }")
    .replace("import { formBackend }", 'import { inbox } from "form-backend/inbox";\nimport { formBackend }')
    .replace("  storage:", `  ${option},\n  ${local},\n  storage:`)
    .replace(
      "const app = express();",
      `const { secret } = ${create.replace("https://example.com", site)};
const app = express();
app.post("/hook", express.raw({ type: "*/*" }), (req, res) => {
  console.log("verified", verifyWebhook(req.body, req.headers, secret).data.fields[0].value);
  res.sendStatus(204);
});`,
    );
  const began = Date.now();
  await start(source);
  await expect.poll(() => page(), PATIENCE).toContain("<form");
  const [, action = ""] = /action="([^"]+)"/.exec(await page()) ?? [];
  const thanks = await fetch(action, {
    method: "POST",
    headers: { accept: "text/html" },
    body: new URLSearchParams({ email: "ann@example.org" }),
  });
  expect(await thanks.text()).toContain("Thank you!");
  await expect.poll(() => printed, PATIENCE).toMatch(/To: you@example\.com[\s\S]*email: ann@example\.org/);
  await expect.poll(() => printed, PATIENCE).toContain("verified ann@example.org");
  const [link = ""] = /http:\S+\/forms\/inbox\/enter\S+/.exec(printed) ?? [];
  expect(await (await fetch(link)).text()).toContain("Continue");
  console.log(`from README to a form, its mail, inbox and webhook: 4 steps, ${Date.now() - began} ms of waiting`);
});

test("a page that posts to Formspree moves in with one changed address", async () => {
  const guide = await readFile(join(ROOT, "docs/migrate/formspree.md"), "utf8");
  const setUp = code(guide, "import { createFormBackend }").replace("https://forms.example.com", site);
  await start(`import express from "express";
import { formBackend } from "form-backend/express";
${setUp}
const app = express();
app.use(formBackend(backend));
app.listen(3000);`);
  await expect.poll(() => page("/v1/health"), PATIENCE).toContain('"ok"');

  const form = "https://formspree.io/f/xyzabcde".replace("https://formspree.io", site);
  const body = new URLSearchParams({ email: "ann@example.org", _subject: "Hello", _cc: "victim@example.org" });
  const script = await fetch(form, { method: "POST", body, headers: { accept: "application/json" } });
  expect(await script.json()).toMatchObject({ ok: true });
  const visitor = await fetch(form, { method: "POST", body, headers: { accept: "text/html" } });
  expect(await visitor.text()).toContain("Thank you!");
  await expect.poll(() => printed, PATIENCE).toMatch(/To: you@example\.com[\s\S]*Subject: Hello/);
  expect(printed).not.toContain("victim");
});
