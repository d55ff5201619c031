import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, describe as group, it, onTestFinished } from "vitest";
import { memoryMailer } from "../../../src/drivers/mailer/memory.ts";
import { sqliteStorage } from "../../../src/drivers/storage/sqlite.ts";
import { createFormBackend, type FormBackend } from "../../../src/index.ts";
import { inbox } from "../../../src/surfaces/inbox/index.ts";
import { install, pack, ROOT, run } from "../../_support/install.ts";
import { freePort } from "../../_support/port.ts";
import { POSTGRES_URL } from "../../_support/postgres.ts";
import { startExample } from "../e2e/_example.ts";
import { conformsAsProcess } from "../hosts/_suite.ts";

const SECRET = "a secret of these tests that is long enough";
const SUITES = [
  "storage: memory",
  "storage: sqlite, path",
  "storage: sqlite, handle",
  "storage: postgres",
  "blob: memory",
  "blob: fs",
  "queue: local",
  "queue: postgres",
  "mailer: smtp",
];

/** Cases that the runtime's own server makes impossible. */
const BUN: Record<string, string> = {
  "a connection that asks for its end gets the answer first": "Bun ends the connection without a header that says so",
  "an upload of 50 MB that is refused gets its answer (payload_too_large, close)":
    "Bun cuts the connection of an unread body",
  "an upload of 50 MB that is refused gets its answer (form_not_found, close)":
    "Bun cuts the connection of an unread body",
};
/** A race in its server: the answer comes most of the time. */
const CUT = "Deno may cut the connection of a body that nobody reads to its end";
const DENO: Record<string, string> = Object.fromEntries(
  ["payload_too_large", "form_not_found"].flatMap((code) =>
    ["close", "keep-alive"].map((how) => [`an upload of 50 MB that is refused gets its answer (${code}, ${how})`, CUT]),
  ),
);

const runtimes = [
  { name: "Bun", program: "bun/bin/bun.exe", args: [] as string[], page: "bun", without: BUN },
  { name: "Deno", program: "deno/deno", args: ["run", "-A"], page: "deno", without: DENO },
];

const installed = await install("test/system/runtimes/fixture", {
  "form-backend.ts": "test/system/hosts/fixtures/shared/remote.ts",
});

for (const { name, program, args, page, without } of installed ? runtimes : []) {
  const { dir } = installed as { dir: string };
  const command = join(dir, "node_modules", program);

  group(name, () => {
    group("its own server", () => {
      const mount = { start: { cwd: dir, program: command, args: [...args, "host.mjs"] } };
      conformsAsProcess(name, { "/forms": mount, "/api/v2/forms": mount, "": mount }, without);
    });

    it("passes the suites of every driver, with no package for SQLite", async () => {
      const { ok, output } = await run(dir, command, [...args, "suites.mjs", ...SUITES], { POSTGRES_URL });
      const lines = output.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
      expect(lines.filter(({ error }) => error !== undefined)).toEqual([]);
      expect([ok, lines.at(-1)], output.slice(-2_000)).toEqual([true, { done: true }]);
      // A thread that can't end says so, and nothing else fails.
      expect(output).not.toContain("Uncaught");
      const counted = Object.fromEntries(
        SUITES.map((suite) => [suite, lines.filter((one) => one.suite === suite).length]),
      );
      expect(Math.min(...Object.values(counted))).toBeGreaterThan(3);
      expect(counted["storage: postgres"]).toBe(counted["storage: memory"]);
    });

    it("runs the server of its page: form, inbox, kill -9 while posts arrive", async () => {
      const code = block(`docs/hosts/${page}.md`, /^```ts \[server\.ts\]\n([\s\S]*?)^```$/m);
      const fast = code.replace(/^ {2}inbox: .*$/m, "$&\n  rateLimit: false,");
      const app = await started({ dir, command, args }, `${page}-app`, "server.ts", fast);
      const own = createFormBackend({
        baseUrl: `${app.url}/forms`,
        secret: SECRET,
        storage: sqliteStorage({ path: join(app.cwd, "forms.db") }),
        mailer: memoryMailer(),
        inbox: inbox(),
        work: false,
      });
      onTestFinished(() => own.close());
      const form = await own.forms.create({ name: "Bread and butter", self_email_notification: { enabled: false } });

      const acknowledged = await postUntilKilled(app, form.endpoint);
      expect(acknowledged.length).toBeGreaterThan(50);
      await app.restart();
      expect(await messages(own, form.id)).toEqual(expect.arrayContaining(acknowledged));

      const { url } = await own.inbox.link({ team_ids: ["default"], role: "admin", user: { id: "1", name: "Ann" } });
      const token = new URL(url).searchParams.get("token") ?? "";
      const entered = await fetch(`${app.url}/forms/inbox/enter`, {
        method: "POST",
        body: new URLSearchParams({ token }),
        redirect: "manual",
        headers: { origin: app.url, "sec-fetch-site": "same-origin" },
      });
      expect(entered.status, await entered.text()).toBe(303);
      const cookie = (entered.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
      const shown = await fetch(`${app.url}/forms/inbox`, { headers: { cookie, accept: "text/html" } });
      expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("Bread and butter")]);

      const { code: exit, printed } = await app.end("SIGTERM");
      expect([exit, printed]).toEqual([
        0,
        expect.not.stringMatching(/uncaught|TypeError|\[form-backend\] (warn|error)/i),
      ]);
    });

    it("runs its example by `npm run example`, which ends with a signal", async () => {
      const bin = join(dir, `${page}-path`);
      await mkdir(bin, { recursive: true });
      await symlink(command, join(bin, page));
      const data = join(dir, `${page}-example`);
      // The example imports what the clone has built.
      await pack();
      const PATH = `${bin}${delimiter}${process.env["PATH"]}`;
      const example = await startExample(page, data, { PATH, FORM_BACKEND_SECRET: SECRET });
      onTestFinished(() => void example.end("SIGKILL"));
      const html = await (await fetch(example.site)).text();
      const endpoint = /action="([^"]+)"/.exec(html)?.[1] ?? "";
      const body = new URLSearchParams({ name: "Ann", email: "ann@example.org", message: "Grüße" });
      const headers = { origin: example.site, accept: "text/html" };
      const answer = await fetch(endpoint, { method: "POST", body, headers, redirect: "manual" });
      expect(answer.status, example.printed()).toBe(303);
      expect((await fetch(new URL(answer.headers.get("location") ?? "", example.site))).status).toBe(200);
      expect(example.printed()).toMatch(/\/forms\/inbox\/enter\?token=/);
      await expect.poll(example.printed).toContain("stored");
      expect(await example.end("SIGTERM")).toEqual({ code: 0, signal: null });
    });

    it("runs the README's app", async () => {
      const readme = block("README.md", /^```js\n(import express[\s\S]*?)^```$/m);
      const app = await started({ dir, command, args }, `${page}-readme`, "app.mjs", readme, "/");
      const html = await (await fetch(app.url)).text();
      const endpoint = /action="([^"]+)"/.exec(html)?.[1] ?? "";
      const body = new URLSearchParams({ email: "ann@example.com" });
      const headers = { origin: app.url, accept: "text/html" };
      const answer = await fetch(endpoint, { method: "POST", body, headers, redirect: "manual" });
      expect(answer.status, app.printed()).toBe(303);
      const thanks = await fetch(new URL(answer.headers.get("location") ?? "", app.url));
      expect(thanks.status).toBe(200);
      // Without a mailer, mails are printed.
      await expect.poll(app.printed).toContain("you@example.com");
      await app.end("SIGKILL");
    });
  });
}

/** The code of a page. */
function block(page: string, pattern: RegExp): string {
  const [, code = ""] = pattern.exec(readFileSync(join(ROOT, page), "utf8")) ?? [];
  expect(code, page).not.toBe("");
  return code;
}

interface App {
  readonly url: string;
  readonly cwd: string;
  printed(): string;
  kill(): void;
  restart(): Promise<void>;
  end(signal: NodeJS.Signals): Promise<{ code: number | null; printed: string }>;
}

/** Starts code of a page in a folder of its own below the installed one, at a port of its own. */
async function started(
  { dir, command, args }: { dir: string; command: string; args: readonly string[] },
  folder: string,
  file: string,
  code: string,
  ready = "/forms/v1/health",
): Promise<App> {
  const cwd = join(dir, folder);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  await mkdir(cwd, { recursive: true });
  await writeFile(
    join(cwd, file),
    code.replaceAll("localhost:3000", `127.0.0.1:${port}`).replaceAll("3000", String(port)),
  );
  const { VITEST: _, NODE_ENV: __, ...inherited } = process.env;
  const env = { ...inherited, PORT: String(port), FORMS_URL: `${url}/forms`, FORMS_SECRET: SECRET };
  let printed = "";
  let child: ChildProcess;
  const start = async (): Promise<void> => {
    child = spawn(command, [...args, file], { cwd, env });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => (printed += text));
    const up = () =>
      fetch(url + ready).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(up, { timeout: 60_000, message: printed }).toBe(200);
  };
  await start();
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    url,
    cwd,
    printed: () => printed,
    kill: () => void child.kill("SIGKILL"),
    async restart() {
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      await start();
    },
    async end(signal) {
      const exit = once(child, "exit");
      child.kill(signal);
      const [code] = (await exit) as [number | null];
      return { code, printed };
    },
  };
}

/** Posts from eight visitors at once; after 100 answers the process is killed. Answers the messages of which a 2xx came. */
async function postUntilKilled(app: App, endpoint: string): Promise<string[]> {
  const acknowledged: string[] = [];
  const headers = { origin: app.url, accept: "application/json" };
  const visitor = async (who: number): Promise<void> => {
    for (let n = 0; n < 500; n++) {
      const message = `${who} ${n}`;
      const answer = await fetch(endpoint, { method: "POST", body: new URLSearchParams({ message }), headers }).catch(
        () => null,
      );
      if (!answer) return;
      if (answer.ok) acknowledged.push(message);
      if (acknowledged.length === 100) app.kill();
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, who) => visitor(who)));
  return acknowledged;
}

async function messages(backend: FormBackend, form: string): Promise<string[]> {
  const all: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await backend.submissions.list(form, {
      limit: 100,
      status: "all",
      ...(cursor !== undefined && { cursor }),
    });
    all.push(
      ...page.data.flatMap(({ fields }) => fields.flatMap(({ value }) => (typeof value === "string" ? value : []))),
    );
    if (!page.next_cursor) return all;
    cursor = page.next_cursor;
  }
}
