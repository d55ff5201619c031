import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { formBackend as express } from "../../adapters/express.ts";
import { formBackend as koa } from "../../adapters/koa.ts";
import { formBackend as node } from "../../adapters/node.ts";
import { fsBlob } from "../../src/drivers/blob/fs.ts";
import { logMailer } from "../../src/drivers/mailer/log.ts";
import { smtpMailer } from "../../src/drivers/mailer/smtp.ts";
import { postgresStorage } from "../../src/drivers/storage/postgres.ts";
import { sqliteStorage } from "../../src/drivers/storage/sqlite.ts";
import { akismetCheck } from "../../src/features/spam/akismet.ts";
import {
  createFormBackend,
  type FormBackend,
  type FormBackendOptions,
  memoryStorage,
  verifyWebhook,
} from "../../src/index.ts";
import { assertNode } from "../../src/lib/node-version.ts";
import { createClient } from "../../src/surfaces/client/index.ts";
import { createTestBackend } from "../../src/surfaces/testing/backend.ts";
import { temporaryDirectory } from "../_support/temporary.ts";

const baseUrl = "https://app.example.com/forms";
const create = (options: unknown) => () => createFormBackend(options as FormBackendOptions);
const option = (options: object) => create({ baseUrl, ...options });
const nothing = undefined as never;
const raw =
  /Cannot (read|destructure|use)|is not (a function|iterable|defined)|Invalid input|\[object Object\]|undefined \(reading/;

afterEach(() => vi.unstubAllEnvs());

/** Slip → the sentence it gets, at once and not at the first post. */
const thrown: readonly (readonly [string, () => unknown, string])[] = [
  ["createFormBackend()", create(undefined), "write createFormBackend({ baseUrl:"],
  ["createFormBackend(url)", create(baseUrl), "write createFormBackend({ baseUrl:"],
  ["baseURL", create({ baseURL: baseUrl }), "`baseURL`: is not an option; did you mean `baseUrl`?"],
  ["base_url", create({ base_url: baseUrl }), "`base_url`: is not an option; did you mean `baseUrl`?"],
  [
    "baseUrl of a variable that is not set",
    create({ baseUrl: undefined }),
    "such as https://app.example.com/forms; it is undefined",
  ],
  ["baseUrl without a scheme", create({ baseUrl: "app.example.com/forms" }), "must be an absolute http(s) URL"],
  ["baseUrl as a path", create({ baseUrl: "/forms" }), "must be an absolute http(s) URL"],
  ["a misspelt option", option({ storge: memoryStorage() }), "did you mean `storage`?"],
  [
    "a misspelt option inside another",
    option({ webhooks: { allowCIDRs: [] } }),
    "`webhooks.allowCIDRs`: is not an option; did you mean `webhooks.allowCidrs`?",
  ],
  ["an option that is nothing of ours", option({ database: "x" }), "`database`: is not an option"],
  ["a short secret", option({ secret: "abc" }), "`secret`: must have at least 32 characters"],
  ["storage: sqliteStorage", option({ storage: sqliteStorage }), "call it: sqliteStorage({ path:"],
  ['storage: "sqlite"', option({ storage: "sqlite" }), "not a string; write sqliteStorage({ path:"],
  ["storage: null", option({ storage: null }), "`storage`: must be a driver with the methods"],
  [
    "mailer: smtpMailer",
    option({ mailer: smtpMailer }),
    "`mailer`: must be a driver, not a function; call it: smtpMailer(",
  ],
  ["mailer: an SMTP URL", option({ mailer: "smtp://mail.example.com" }), "not a string; write smtpMailer("],
  ["blob: a folder", option({ blob: "uploads" }), 'not a string; write fsBlob({ dir: "uploads" })'],
  ["blob: fsBlob", option({ blob: fsBlob }), "call it: fsBlob("],
  ["queue: a text", option({ queue: "redis" }), "`queue`: must be a driver, not a string"],
  [
    'trustProxy: "loopback"',
    option({ trustProxy: "loopback" }),
    "must be true, the number of proxies in front, or their CIDRs",
  ],
  [
    'trustProxy: ["loopback"]',
    option({ trustProxy: ["loopback"] }),
    "`trustProxy.0`: must be a CIDR such as 10.0.0.0/8",
  ],
  ["trustProxy: an address", option({ trustProxy: ["10.0.0.1"] }), "or 10.0.0.1/32 for one address"],
  ["work: a text", option({ work: "false" }), "`work`: must be"],
  ["from without an address", option({ from: "Example" }), '`from`: must be an address, or "Name <address>"'],
  [
    "a logger that is a function",
    option({ logger: console.log }),
    "`logger`: must be a logger with the methods debug, info, warn and error",
  ],
  ["a plan that is not there", option({ defaultPlan: "gold" }), 'there is no plan "gold"'],
  ['sqliteStorage("forms.db")', () => sqliteStorage("forms.db" as never), 'write sqliteStorage({ path: "forms.db" })'],
  ["sqliteStorage()", () => sqliteStorage(nothing), "pass `path`, a file"],
  ["sqliteStorage(7)", () => sqliteStorage(7 as never), "pass `path`, a file"],
  ["sqliteStorage, another name", () => sqliteStorage({ filename: "forms.db" } as never), "pass `path`, a file"],
  [
    'postgresStorage("postgres://…")',
    () => postgresStorage("postgres://u:hidden@db/x" as never),
    "write postgresStorage({ connectionString:",
  ],
  ["postgresStorage()", () => postgresStorage(nothing), "`connectionString`"],
  ["fsBlob(folder)", () => fsBlob("uploads" as never), "`dir` is missing"],
  ["smtpMailer()", () => smtpMailer(nothing), "a nodemailer transport, its options, or a URL"],
  ["smtpMailer({})", () => smtpMailer({}), 'set `host`, `service` or `url`, such as { host: "mail.example.com" }'],
  [
    "smtpMailer, host of a variable that is not set",
    () => smtpMailer({ host: undefined, port: 587 }),
    "the options name no server",
  ],
  ["smtpMailer(a host)", () => smtpMailer("mail.example.com"), "a URL that begins with smtp: or smtps:"],
  ["akismetCheck()", () => akismetCheck(nothing), "option `apiKey` is missing"],
  ["akismetCheck({})", () => akismetCheck({} as never), "option `apiKey` is missing"],
  [
    "akismetCheck without a home page",
    () => akismetCheck({ apiKey: "k" } as never),
    "option `blog` must be the URL of your home page",
  ],
  ["createClient()", () => createClient(nothing), "pass an object with the options `baseUrl` and `token`"],
  ["createClient without a token", () => createClient({ baseUrl } as never), "option `token` must be an API key"],
  ["createClient without a URL", () => createClient({ token: "t" } as never), "option `baseUrl` must be the URL"],
  ["verifyWebhook without a secret", () => verifyWebhook("{}", {}, nothing), "as from a variable that is not set"],
  ["verifyWebhook with an empty secret", () => verifyWebhook("{}", {}, ""), "as from a variable that is not set"],
  [
    "verifyWebhook with a list of nothing",
    () => verifyWebhook("{}", {}, [nothing]),
    "as from a variable that is not set",
  ],
  [
    "verifyWebhook without headers",
    () => verifyWebhook("{}", nothing, "s"),
    "pass the request's headers as the second argument",
  ],
  ["verifyWebhook with a parsed body", () => verifyWebhook({} as never, {}, "s"), "pass the raw body"],
  ["express without a backend", () => express(nothing), "expects the object returned by createFormBackend()"],
  ["koa with the options", () => koa({ baseUrl } as never), "expects the object returned by createFormBackend()"],
  [
    "node with the function",
    () => node(createFormBackend as never),
    "expects the object returned by createFormBackend()",
  ],
  [
    'on("typo")',
    () => createTestBackend().on("submission.craeted" as never, () => {}),
    'no event "submission.craeted"; events are submission.created,',
  ],
  [
    "on without a function",
    () => createTestBackend().on("form.created", nothing),
    'on("form.created") needs a function',
  ],
];

describe("a slip in code throws at once, and says what to write instead", () => {
  it.each(thrown)("%s", (_, slip, sentence) => {
    const error = caught(slip);
    expect(error.message).toContain(sentence);
    expect(error.message).toMatch(/^\[form-backend\] /);
    expect(error.message).not.toMatch(raw);
    expect(error.message).not.toContain("hidden");
  });
});

function caught(slip: () => unknown): Error {
  try {
    slip();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}

/** Faults of what is sent to the management API, in process or over HTTP. */
const refused: readonly (readonly [
  string,
  (backend: FormBackend, form: string) => Promise<unknown>,
  string,
  string,
])[] = [
  [
    "scopes left out",
    (b) => b.keys.create({ name: "k" } as never),
    "scopes",
    '`scopes` must be "all", or a list of some of forms:read',
  ],
  [
    "a scope misspelt",
    (b) => b.keys.create({ name: "k", scopes: ["forms:reed"] as never }),
    "scopes",
    '`scopes` must be "all", or a list',
  ],
  ["no scope", (b) => b.keys.create({ name: "k", scopes: [] }), "scopes", "`scopes` must have at least 1 entries"],
  ["an http webhook", (b, f) => b.webhooks.create(f, { url: "http://example.com" }), "url", "`webhooks.allowHttp`"],
  ["an ftp webhook", (b, f) => b.webhooks.create(f, { url: "ftp://example.com" }), "url", "must begin with https://."],
  [
    "a webhook to a private address",
    (b, f) => b.webhooks.create(f, { url: "https://10.0.0.1/" }),
    "url",
    "`webhooks.allowCidrs`",
  ],
  [
    "a webhook to localhost",
    (b, f) => b.webhooks.create(f, { url: "https://localhost:3000/" }),
    "url",
    "`webhooks.allowCidrs`",
  ],
  [
    "a webhook without a scheme",
    (b, f) => b.webhooks.create(f, { url: "example.com/hook" }),
    "url",
    "`url`: It is not an absolute URL; write it with https:// and a host.",
  ],
  ["a webhook without a URL", (b, f) => b.webhooks.create(f, {} as never), "url", "`url` is required"],
  [
    "a form's field misspelt",
    (b, f) => b.forms.update(f, { nmae: "x" } as never),
    "nmae",
    "is unknown or read-only here",
  ],
];

describe("a slip in what is sent names its field", () => {
  it("are sixty and more, with those in code", () => expect(thrown.length + refused.length).toBeGreaterThanOrEqual(60));

  it.each(refused)("%s", async (_, slip, param, sentence) => {
    const backend = createTestBackend();
    const form = await backend.forms.create({ name: "A" });
    await expect(slip(backend, form.id)).rejects.toMatchObject({
      code: "invalid_parameter",
      param,
      message: expect.stringContaining(sentence),
    });
    await expect(slip(backend, form.id)).rejects.not.toMatchObject({ message: expect.stringMatching(raw) });
  });

  it("an ftp webhook where http is allowed names both", async () => {
    const backend = createTestBackend({ webhooks: { allowHttp: true } });
    const form = await backend.forms.create({ name: "A" });
    const made = backend.webhooks.create(form.id, { url: "ftp://example.com" });
    await expect(made).rejects.toThrow("must begin with https:// or http://.");
  });
});

interface Lines {
  readonly warn: string[];
  readonly error: string[];
  readonly info: string[];
}

/** As JavaScript has it: an option may be there and hold nothing. */
type Loose = { readonly [K in keyof FormBackendOptions]?: FormBackendOptions[K] | undefined };

/** A backend as a host's own process has it: nothing is silent because tests run. */
function hosted(env: string, options: Loose = {}): { backend: FormBackend; lines: Lines } {
  vi.stubEnv("NODE_ENV", env);
  const lines: Lines = { warn: [], error: [], info: [] };
  const say = (level: keyof Lines) => (message: string) => void lines[level].push(message);
  const logger = { debug() {}, info: say("info"), warn: say("warn"), error: say("error") };
  const backend = createFormBackend({
    baseUrl: "http://localhost:3000/forms",
    secret: "a secret for tests that is long enough",
    work: false,
    logger,
    ...options,
  } as FormBackendOptions);
  onTestFinished(() => backend.close());
  return { backend, lines };
}

const mailer = {
  name: "own",
  async send() {
    return { id: null };
  },
  async verify() {},
  async close() {},
};
const blob = (): FormBackendOptions["blob"] => fsBlob({ dir: join(temporaryDirectory(), "uploads") });
const file = (): string => join(temporaryDirectory(), "forms.db");

async function post(backend: FormBackend, url: string, headers: Record<string, string> = {}): Promise<number> {
  const body = new URLSearchParams({ email: "ann@example.com" });
  return (await backend.handle(new Request(url, { method: "POST", body, headers }), { ip: "203.0.113.9" })).status;
}

describe("a set-up that loses or hides something says so once", () => {
  const losses: readonly (readonly [string, Loose, keyof Lines, string])[] = [
    ["production without storage", { mailer, blob: blob() }, "warn", "no `storage` is set"],
    [
      "production on memory",
      { mailer, blob: blob(), storage: memoryStorage() },
      "warn",
      "`storage` is memoryStorage() in production",
    ],
    [
      "production without mailer",
      { storage: sqliteStorage({ path: file() }) },
      "warn",
      "`mailer` is not set, or logMailer(), in production: emails are printed",
    ],
    [
      "production with the log mailer",
      { storage: sqliteStorage({ path: file() }), mailer: logMailer() },
      "warn",
      "`mailer` is not set, or logMailer()",
    ],
    [
      "production without blob",
      { storage: memoryStorage(), mailer },
      "error",
      "`blob` is not set, or memoryBlob(), in production",
    ],
  ];
  it.each(losses)("%s", async (_, options, level, sentence) => {
    const { backend, lines } = hosted("production", options);
    expect([lines.warn, lines.error]).toEqual([[], []]);
    await backend.ready();
    await backend.ready();
    expect(lines[level].filter((line) => line.includes(sentence))).toHaveLength(1);
  });

  it("and a whole one in production says nothing", async () => {
    const { backend, lines } = hosted("production", {
      storage: sqliteStorage({ path: file() }),
      mailer,
      trustProxy: 1,
    });
    const form = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
    expect(await post(backend, form.endpoint, { "x-forwarded-for": "198.51.100.7" })).toBeLessThan(400);
    expect(lines).toEqual({
      warn: [],
      error: [],
      info: [expect.stringContaining("accepted, 0 emails and 0 webhooks")],
    });
  });

  async function upload(backend: FormBackend): Promise<void> {
    const form = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
    for (const name of ["a", "b"]) {
      const body = new FormData();
      body.append(name, new File(["hello"], "hello.txt", { type: "text/plain" }));
      expect((await backend.fetch(new Request(form.endpoint, { method: "POST", body }))).status).toBeLessThan(400);
    }
  }

  it("files in memory, with the first upload", async () => {
    const { DatabaseSync } = await import("@photostructure/sqlite");
    const onDisk = sqliteStorage({ database: new DatabaseSync(file()) });
    for (const storage of [onDisk, memoryStorage()]) {
      const { backend, lines } = hosted("development", { storage, mailer });
      await upload(backend);
      expect(lines.warn).toEqual([expect.stringMatching(/^files are kept in memory.*set `blob`/)]);
    }
  });

  it("files that outlive the submissions in memory, with the first upload", async () => {
    const { backend, lines } = hosted("development", { storage: memoryStorage(), blob: blob(), mailer });
    await upload(backend);
    expect(lines.warn).toEqual([expect.stringMatching(/^`storage` is memoryStorage\(\).*their files stay behind/)]);
  });

  it("X-Forwarded-For without trustProxy", async () => {
    const { backend, lines } = hosted("development", { storage: memoryStorage(), mailer });
    const form = await backend.forms.create({ name: "A", self_email_notification: { enabled: false } });
    for (let i = 0; i < 3; i++) await post(backend, form.endpoint, { "x-forwarded-for": "198.51.100.7" });
    expect(lines.warn).toEqual([expect.stringContaining("set `trustProxy` to the number of proxies in front")]);
  });

  it("but not where the host passes no address, as Next.js, which writes the header itself", async () => {
    const { backend, lines } = hosted("development", { storage: memoryStorage(), mailer });
    const headers = { "x-forwarded-for": "198.51.100.7" };
    await backend.fetch(new Request("http://localhost:3000/forms/f/x", { headers }));
    expect(lines.warn).toEqual([]);
  });

  it("but not where the host has said that there is no proxy", async () => {
    const { backend, lines } = hosted("development", { storage: memoryStorage(), mailer, trustProxy: false });
    await post(backend, "http://localhost:3000/forms/f/x", { "x-forwarded-for": "198.51.100.7" });
    expect(lines.warn).toEqual([]);
  });

  it.each([
    ["another port", "http://localhost:3001/forms/f/x", {}, 'came to "localhost:3001"'],
    ["another host", "http://app.example.com/forms/f/x", {}, 'came to "app.example.com"'],
    [
      "another host by a proxy's word",
      "http://localhost:3000.example/forms/f/x",
      { "x-forwarded-host": "www.example.com" },
      'came to "www.example.com"',
    ],
  ])("requests under %s than baseUrl", async (_, url, headers, sentence) => {
    const { backend, lines } = hosted("development", { storage: memoryStorage(), mailer });
    for (let i = 0; i < 3; i++) await post(backend, url.replace("3000.example", "3009"), headers);
    expect(lines.warn).toEqual([expect.stringContaining(sentence)]);
    expect(lines.warn[0]).toContain('`baseUrl` is "http://localhost:3000/forms"');
    expect(lines.warn[0]).toContain("set `baseUrl` to the address that browsers use");
  });

  it.each([
    ["a probe by the machine's address", "http://10.0.0.5:8080/forms/v1/health", {}],
    [
      "a proxy that names the host that the visitor asked for",
      "http://10.0.0.5/forms/f/x",
      { "x-forwarded-host": "localhost:3000" },
    ],
  ])("but not for %s", async (_, url, headers) => {
    const { backend, lines } = hosted("development", { storage: memoryStorage(), mailer });
    await backend.handle(new Request(url, { headers }));
    expect(lines.warn).toEqual([]);
  });

  it("a host that a request makes up stays one line", async () => {
    const { backend, lines } = hosted("development", { storage: memoryStorage(), mailer });
    await post(backend, "http://localhost:9/forms/f/x", { "x-forwarded-host": `${"a".repeat(5_000)}\u0085b` });
    expect(lines.warn).toHaveLength(1);
    expect(lines.warn[0]?.length).toBeLessThan(600);
    expect(lines.warn[0]).not.toMatch(/\p{Cc}/u);
  });

  it("a notification without recipients, with the first post", async () => {
    const { backend, lines } = hosted("development", { storage: memoryStorage(), mailer });
    const form = await backend.forms.create({ name: "A" });
    expect(lines.warn).toEqual([]);
    for (let i = 0; i < 2; i++) await post(backend, form.endpoint);
    expect(lines.warn).toEqual([expect.stringContaining("has no recipients, so nobody gets an email")]);
    expect(lines.warn[0]).toContain(form.id);
  });

  it("to the given logger under a test runner too, and without one not to the tests' own output", async () => {
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => stderr.mockRestore());
    for (const [options, count] of [
      [{}, 4],
      [{ logger: undefined }, 0],
    ] as const) {
      const { backend, lines } = hosted("test", options);
      const form = await backend.forms.create({ name: "A" });
      await post(backend, form.endpoint.replace(":3000", ":3001"), { "x-forwarded-for": "198.51.100.7" });
      expect(lines).toEqual({ warn: Array(count).fill(expect.any(String)), error: [], info: expect.anything() });
    }
    expect(stderr).not.toHaveBeenCalled();
  });
});

describe("what stands beside a SQLite file", () => {
  it("is uploads, whose links work after a restart", async () => {
    const path = file();
    const first = hosted("development", { storage: sqliteStorage({ path }), mailer }).backend;
    const form = await first.forms.create({ name: "A", self_email_notification: { enabled: false } });
    const body = new FormData();
    body.append("cv", new File(["hello"], "hello.txt", { type: "text/plain" }));
    await first.fetch(new Request(form.endpoint, { method: "POST", body }));
    const [submission] = (await first.submissions.list(form.id)).data;
    await first.close();
    expect(readdirSync(dirname(path)).sort()).toEqual(["forms.db", "forms.db-files"]);
    const second = hosted("development", { storage: sqliteStorage({ path }), mailer }).backend;
    const url = submission?.attachments[0]?.url ?? "";
    expect(await (await second.fetch(new Request(url))).text()).toBe("hello");
  });

  it("is the secret of development, the same for every start and readable by its owner alone", async () => {
    const path = file();
    const first = hosted("development", { storage: sqliteStorage({ path }), mailer, secret: undefined });
    for (const name of ["A", "B"]) await first.backend.forms.create({ name });
    const { next_cursor } = await first.backend.forms.list({ limit: 1 });
    const kept = readFileSync(`${path}-secret`, "utf8");
    expect(kept).toMatch(/^[0-9a-f]{64}\n$/);
    expect(first.lines.info).toEqual([
      expect.stringContaining(`no \`secret\` is set, so the one in "${path}-secret" is used`),
    ]);
    await first.backend.close();
    const second = hosted("development", { storage: sqliteStorage({ path }), mailer, secret: undefined });
    // Signed by the first start, and taken by the second.
    expect((await second.backend.forms.list({ cursor: next_cursor as string })).data).toHaveLength(1);
    await second.backend.close();
    expect(second.lines).toEqual({ warn: [], error: [], info: [] });
    expect(readFileSync(`${path}-secret`, "utf8")).toBe(kept);
    expect(statSync(`${path}-secret`).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path)).sort()).toEqual(["forms.db", "forms.db-secret"]);
  });

  it("is no secret in production", async () => {
    const path = file();
    const { backend } = hosted("production", { storage: sqliteStorage({ path }), mailer, secret: undefined });
    await expect(backend.ready()).rejects.toThrow("option `secret`: required when NODE_ENV is production");
    expect(readdirSync(dirname(path))).not.toContain("forms.db-secret");
  });

  it("is named where it holds no secret", async () => {
    const path = file();
    writeFileSync(`${path}-secret`, "short\n");
    const { backend } = hosted("development", { storage: sqliteStorage({ path }), mailer, secret: undefined });
    await expect(backend.ready()).rejects.toThrow(`"${path}-secret" contains no secret of 32 characters`);
  });

  it("is named where it can't be read", async () => {
    const path = file();
    mkdirSync(`${path}-secret`);
    const { backend } = hosted("development", { storage: sqliteStorage({ path }), mailer, secret: undefined });
    await expect(backend.ready()).rejects.toThrow(`[form-backend] "${path}-secret"`);
  });
});

describe("another secret than what is stored was sealed under", () => {
  it("is what the log names, without a stack", async () => {
    const path = file();
    const first = hosted("development", { storage: sqliteStorage({ path }), mailer }).backend;
    const form = await first.forms.create({ name: "A", self_email_notification: { enabled: false } });
    await first.webhooks.create(form.id, { url: "https://hooks.example.com/a" });
    await first.close();
    const secret = "another secret that is long enough, too";
    const { backend, lines } = hosted("development", { storage: sqliteStorage({ path }), mailer, secret });
    await post(backend, form.endpoint);
    await backend.tick();
    expect(lines.error).toEqual([
      expect.stringMatching(
        /^the store was used with another `secret` before: .*set the option `secret` to what it was/,
      ),
      expect.stringMatching(/^job .+ \(webhook\): .*set the option `secret` to what it was/),
    ]);
    expect(lines.error.join("")).not.toMatch(/JWE|\n/);
  });
});

describe("app.use(formBackend(backend)) without a path", () => {
  const middleware = async (url: string, originalUrl?: string): Promise<string> => {
    const backend = createTestBackend({ legacyBaseUrl: "http://localhost:3000/old" });
    const handled = vi.spyOn(backend, "handle").mockRejectedValue(new Error("handled"));
    let passed: unknown = "nothing";
    await new Promise<void>((resolve) => {
      const req = { url, originalUrl, socket: {}, headers: {}, method: "GET", readableDidRead: true };
      express(backend)(req as never, {} as never, (error) => {
        passed = error;
        resolve();
      });
    });
    return handled.mock.calls.length > 0 ? "ours" : passed === undefined ? "next" : "ours";
  };
  it.each([
    ["/", undefined, "next"],
    ["/about?x=/forms/f/1", "/about?x=/forms/f/1", "next"],
    ["/formsy", "/formsy", "next"],
    ["/forms", "/forms", "ours"],
    ["/forms/f/x?y", "/forms/f/x?y", "ours"],
    ["/old/api/forms", "/old/api/forms", "ours"],
    // Mounted at a path: also a wrong one, which a warning then names.
    ["/f/x", "/form/f/x", "ours"],
  ])("%s (%s) → %s", async (url, originalUrl, whose) => {
    expect(await middleware(url, originalUrl)).toBe(whose);
  });
});

describe("Node without what is needed", () => {
  it("is named with the versions that have it", () => {
    expect(() => assertNode({}, "v18.20.8")).toThrow(
      "[form-backend] this is Node v18.20.8, and form-backend needs 20.19, or 22.2 and newer",
    );
    expect(() => assertNode()).not.toThrow();
  });
});

describe("a body that the host cuts at a limit of its own", () => {
  it("is answered 413 with the name of SvelteKit's option", async () => {
    const backend = createTestBackend();
    const body = new ReadableStream({
      pull: (controller) => controller.error(Object.assign(new Error("Payload Too Large"), { status: 413 })),
    });
    const headers = { authorization: `Bearer ${backend.key}`, "content-type": "application/json" };
    const request = new Request("http://localhost:3000/forms/v1/forms", {
      method: "POST",
      headers,
      body,
      duplex: "half",
    } as RequestInit);
    const answer = await backend.fetch(request);
    expect([answer.status, JSON.parse(await answer.text()).error.message]).toEqual([
      413,
      expect.stringContaining("BODY_SIZE_LIMIT"),
    ]);
  });
});
