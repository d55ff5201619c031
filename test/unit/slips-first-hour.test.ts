import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTcp } from "node:net";
import { join } from "node:path";
import expressApp from "express";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { formBackend as express } from "../../adapters/express.ts";
import { memoryMailer } from "../../src/drivers/mailer/memory.ts";
import { smtpMailer } from "../../src/drivers/mailer/smtp.ts";
import { postgresStorage } from "../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../src/drivers/storage/sqlite.ts";
import { createFormBackend, type FormBackend, type FormBackendOptions, memoryStorage } from "../../src/index.ts";
import { inbox } from "../../src/surfaces/inbox/index.ts";
import { testClock } from "../../src/surfaces/testing/clock.ts";
import { temporaryDirectory } from "../_support/temporary.ts";

afterEach(() => vi.unstubAllEnvs());

interface Line {
  readonly level: string;
  readonly text: string;
}

const SECRET = "a secret for tests that is long enough";

/** A backend in development, and everything that it logs. */
function developed(options: Partial<FormBackendOptions> = {}): { backend: FormBackend; lines: Line[] } {
  vi.stubEnv("NODE_ENV", "development");
  const lines: Line[] = [];
  const say = (level: string) => (text: string) => void lines.push({ level, text });
  const backend = createFormBackend({
    baseUrl: "http://localhost:3000/forms",
    secret: SECRET,
    storage: memoryStorage(),
    mailer: memoryMailer(),
    work: false,
    logger: { debug() {}, info: say("info"), warn: say("warn"), error: say("error") },
    ...options,
  });
  onTestFinished(() => backend.close());
  return { backend, lines };
}

const about = (lines: readonly Line[], word: string): string[] =>
  lines.filter(({ text }) => text.includes(word)).map(({ text }) => text);

async function port(server: ReturnType<typeof createTcp>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const post = (backend: FormBackend, url: string, body: URLSearchParams, headers: Record<string, string> = {}) =>
  backend.fetch(new Request(url, { method: "POST", body, headers: { accept: "text/html", ...headers } }));

const quiet = { self_email_notification: { enabled: false } };

describe("a mount that no post reaches", () => {
  it("app.use(backend.fetch): the error names the adapter", async () => {
    const { backend } = developed();
    const app = expressApp();
    app.use("/forms", backend.fetch as never);
    let passed: unknown;
    app.use(((error: unknown, _: unknown, response: expressApp.Response, __: unknown) => {
      passed = error;
      response.sendStatus(500);
    }) as expressApp.ErrorRequestHandler);
    const at = await port(createServer(app));
    expect((await fetch(`http://127.0.0.1:${at}/forms/f/x`, { method: "POST" })).status).toBe(500);
    expect(String(passed)).toContain('write app.use("/forms", formBackend(backend))');
    await expect(backend.handle(undefined as never)).rejects.toThrow("take a web Request");
  });

  it.each([
    ["app.post", (app: expressApp.Express, backend: FormBackend) => app.post("/forms", express(backend))],
    [
      "a catch-all route in front",
      (app: expressApp.Express, backend: FormBackend) => {
        app.use((_, response) => void response.sendStatus(404));
        app.use("/forms", express(backend));
      },
    ],
  ])("%s: after a minute without a request, the log says how to mount it", async (_, mount) => {
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const { backend, lines } = developed({ clock, work: true });
    const app = expressApp();
    mount(app, backend);
    const at = await port(createServer(app));
    const { endpoint } = await backend.forms.create({ name: "A", ...quiet });
    const { pathname } = new URL(endpoint);
    expect((await fetch(`http://127.0.0.1:${at}${pathname}`, { method: "POST" })).status).toBe(404);
    clock.set(clock.now() + 59_000);
    expect(about(lines, "no request has reached")).toEqual([]);
    clock.set(clock.now() + 2_000);
    expect(about(lines, "no request has reached")).toEqual([
      expect.stringMatching(
        /mount the backend with app\.use\(\) and not with app\.post\(\), at "\/forms", and before catch-all/,
      ),
    ]);
  });

  it("and nothing is said once a request has come, in production, or without workers", async () => {
    const clock = testClock(Date.parse("2026-01-01T00:00:00.000Z"));
    const reached = developed({ clock, work: true });
    await reached.backend.fetch(new Request("http://localhost:3000/forms/v1/health"));
    const idle = developed({ clock });
    await idle.backend.ready();
    const live = developed({ clock, work: true });
    vi.stubEnv("NODE_ENV", "production");
    await live.backend.ready();
    clock.set(clock.now() + 120_000);
    for (const { lines } of [reached, idle, live]) expect(about(lines, "no request has reached")).toEqual([]);
  });
});

describe("an address of a server", () => {
  it.each([
    "smtp://me@x.com:pa@ss#1@127.0.0.1:1",
    "smtp://me:pa/ss@mail.example.com",
    "smtps://me:pa?ss@mail.example.com",
    "smtp://me:pa#ss@mail.example.com",
  ])("%s: a password that is not percent-encoded is named, and not shown", (url) => {
    expect(() => smtpMailer(url)).toThrow("percent-encode them");
    expect(() => smtpMailer(url)).not.toThrow("ss@");
  });

  it.each([
    "smtp://me%40x.com:pa%23ss@mail.example.com:587",
    "smtp://me@x.com:pass@mail.example.com",
    "smtps://mail.example.com/?pool=true",
    "smtp://[::1]:25",
  ])("%s is taken", (url) => expect(() => smtpMailer(url)).not.toThrow());

  it("postgresStorage on MySQL names the driver", () => {
    const of = (connectionString: string) => () => postgresStorage({ connectionString });
    expect(of("mysql://u:hidden@db/x")).toThrow("begins with mysql://; use mysqlStorage({ uri })");
    expect(of("mysql://u:hidden@db/x")).not.toThrow("hidden");
    expect(of("https://db/x")).toThrow("`connectionString` must begin with postgres://, and begins with https://");
    for (const right of ["postgres://db/x", "postgresql://db/x", "socket:/run/x?db=y", "host=/run dbname=x"])
      expect(of(right)).not.toThrow();
  });

  it("a mail server that never greets, such as an HTTP port, is in the log before the start goes on", async () => {
    const silent = createTcp(() => {});
    const at = await port(silent);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { backend, lines } = developed({ mailer: smtpMailer(`smtp://127.0.0.1:${at}`), verify: true });
    const ready = backend.ready();
    await vi.waitFor(async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      expect(about(lines, "has not answered within 5 s")).toHaveLength(1);
    });
    await ready;
    vi.useRealTimers();
  });

  it("baseUrl with https on one's own machine, served by http", async () => {
    const ask = async (options: Partial<FormBackendOptions>, url: string, headers: Record<string, string> = {}) => {
      const { backend, lines } = developed(options);
      for (let i = 0; i < 2; i++) await backend.fetch(new Request(url, { headers }));
      return about(lines, "by plain http").length;
    };
    const own = { baseUrl: "https://localhost:3000/forms" };
    const url = "http://localhost:3000/forms/v1/me";
    expect(await ask(own, url)).toBe(1);
    expect(await ask(own, url, { "x-forwarded-proto": "https" })).toBe(0);
    expect(await ask(own, "https://localhost:3000/forms/v1/me")).toBe(0);
    expect(await ask({ baseUrl: "https://forms.example.com" }, "http://forms.example.com/v1/me")).toBe(0);
  });
});

describe("a form that loses what was typed", () => {
  it("inputs without a name: page and log say that browsers don't send them", async () => {
    const { backend, lines } = developed();
    const { endpoint } = await backend.forms.create({ name: "A", ...quiet });
    const answer = await post(backend, endpoint, new URLSearchParams());
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("inputs that have a")]);
    expect(about(lines, "refused a post")[0]).toContain("Browsers send only inputs that have a `name`.");
    vi.stubEnv("NODE_ENV", "production");
    expect(await (await post(backend, endpoint, new URLSearchParams())).text()).not.toContain("inputs that have");
  });

  it("a file input without enctype", async () => {
    const { backend, lines } = developed();
    const { endpoint } = await backend.forms.create({ name: "A", ...quiet });
    await post(backend, endpoint, new URLSearchParams({ cv: "a report of mine", site: "example.com" }));
    expect(about(lines, "enctype")).toEqual([]);
    for (let i = 0; i < 2; i++) await post(backend, endpoint, new URLSearchParams({ cv: "My CV.pdf" }));
    expect(about(lines, "enctype")).toEqual([
      expect.stringMatching(/in the field "cv", and no file: .* add enctype="multipart\/form-data" to the <form>/),
    ]);
    expect(about(lines, "My CV")).toEqual([]);
  });

  it("a honeypot that was filled in: the log names it at once", async () => {
    const { backend, lines } = developed();
    const { endpoint } = await backend.forms.create({ name: "A", ...quiet });
    await post(backend, endpoint, new URLSearchParams({ email: "ann@example.com", _gotcha: "x" }));
    expect(about(lines, "stored as spam")).toEqual([expect.stringMatching(/stored as spam \(honeypot\)/)]);
  });
});

describe("a setting that does nothing", () => {
  it("a tag that is misspelt: the first mail says so", async () => {
    const { backend, lines } = developed();
    const { endpoint } = await backend.forms.create({
      name: "A",
      self_email_notification: { recipients: ["you@example.com"], subject: "{{naem}} and {{email}} and {{note}}" },
    });
    for (let i = 0; i < 2; i++)
      await post(backend, endpoint, new URLSearchParams({ email: "ann@example.com", note: "" }));
    await backend.tick();
    expect(about(lines, "{{")).toEqual([expect.stringMatching(/uses \{\{naem\}\}, and the submission has no field/)]);
  });

  it("defaultPlan, where all forms are in the team that has no limits", async () => {
    const { backend, lines } = developed({ plans: { tiny: { submissions_per_month: 1 } }, defaultPlan: "tiny" });
    for (const name of ["A", "B"]) await backend.forms.create({ name });
    expect(about(lines, "defaultPlan")).toEqual([
      expect.stringContaining('call backend.teams.update("default", { plan: "tiny" })'),
    ]);
    await backend.teams.update("default", { plan: "tiny" });
    expect(await backend.teams.get("default")).toMatchObject({ plan: "tiny" });
  });

  it("allowed_origins and pages that name none: each cause has its own line", async () => {
    const { backend, lines } = developed();
    const settings = { ...quiet, settings: { allowed_origins: ["https://example.com"] } };
    const { endpoint } = await backend.forms.create({ name: "A", ...settings });
    const body = () => new URLSearchParams({ email: "ann@example.com" });
    for (const origin of ["https://b.example", "null", undefined])
      await post(backend, endpoint, body(), origin === undefined ? {} : { origin });
    await backend.close();
    expect(about(lines, "in the last minute").map((line) => line.replace(/^form \w+: /, ""))).toEqual([
      `1 post in the last minute refused: "https://b.example" is not among the form's \`allowed_origins\``,
      expect.stringMatching(
        /^1 post in the last minute refused: "Origin: null", as of a page that was opened as a file/,
      ),
      expect.stringMatching(/^1 post in the last minute refused: the sender named no origin/),
    ]);
  });
});

describe("another secret than the store's", () => {
  const opened = async (path: string, secret: string | readonly string[]) => {
    const { backend, lines } = developed({
      storage: sqliteStorage({ path }),
      secret: typeof secret === "string" ? secret : [...secret],
    });
    await backend.ready();
    return { backend, told: () => about(lines, "another `secret` before") };
  };
  const OTHER = "another secret that is long enough, too";

  it("is in the log at each start, until it is mended", async () => {
    const path = join(temporaryDirectory(), "forms.db");
    for (const [secret, count] of [
      [SECRET, 0],
      [OTHER, 1],
      [OTHER, 1],
      [SECRET, 0],
      // A new one in front of the old one is how a secret is changed.
      [[OTHER, SECRET], 0],
      [OTHER, 0],
      [SECRET, 1],
    ] as const) {
      const { backend, told } = await opened(path, secret);
      expect(told(), String(secret)).toHaveLength(count);
      await backend.close();
    }
  });

  it("is accepted by a reseal, where the old one is lost", async () => {
    const path = join(temporaryDirectory(), "forms.db");
    await (await opened(path, SECRET)).backend.close();
    const { backend, told } = await opened(path, OTHER);
    expect(told()).toHaveLength(1);
    await backend.secrets.reseal();
    await backend.close();
    expect((await opened(path, OTHER)).told()).toEqual([]);
  });

  it("is told to a second process with a secret of its own", async () => {
    const path = join(temporaryDirectory(), "forms.db");
    const [first, second] = [await opened(path, SECRET), await opened(path, OTHER)];
    expect([first.told().length, second.told().length]).toEqual([0, 1]);
  });
});

describe("a link to the inbox", () => {
  it("that was copied in part: the page says so, and a new one is in the log", async () => {
    const { backend, lines } = developed({ inbox: inbox() });
    const enter = (token: string) =>
      backend.fetch(new Request(`http://localhost:3000/forms/inbox/enter?token=${token}`));
    const answer = await enter("zzz");
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining("This link is not complete")]);
    expect(about(lines, "open the inbox with this link")).not.toEqual([]);
    vi.stubEnv("NODE_ENV", "production");
    expect((await enter("zzz")).status).toBe(404);
  });

  it("that nobody has asked for: the page leads to the log", async () => {
    const { backend, lines } = developed({ inbox: inbox() });
    const answer = await backend.fetch(new Request("http://localhost:3000/forms/inbox"));
    expect(await answer.text()).toContain("Open the inbox from your terminal");
    expect(about(lines, "open the inbox with this link")).not.toEqual([]);
  });
});
