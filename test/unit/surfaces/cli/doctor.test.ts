import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { sqliteStorage } from "../../../../src/drivers/storage/sqlite.ts";
import { findingLines } from "../../../../src/surfaces/cli/doctor/lines.ts";
import { NEEDED } from "../../../../src/surfaces/cli/doctor/versions.ts";
import type { Io } from "../../../../src/surfaces/cli/io.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { startDns, type Zone } from "../../../_support/dns.ts";
import { startInFront, type Takes } from "../../../_support/in-front.ts";
import { freePort } from "../../../_support/port.ts";
import { running } from "../../../_support/running.ts";
import { startSmtpServer } from "../../../_support/smtp.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

type Line = { check: string; level: string; message: string; todo?: string };

/** Runs doctor with real sockets, and returns its lines by check. */
async function doctor(
  env: Record<string, string | undefined>,
  args: readonly string[] = [],
  over: Partial<Io> = {},
): Promise<{ code: number; all: Line[]; of(check: string): Line }> {
  const { code, out, err } = await terminal({ now: () => Date.now(), cwd: temporaryDirectory(), env, ...over }).cli(
    "doctor",
    "--json",
    ...args,
  );
  const all = parsed(out) as unknown as Line[];
  // Each fault comes with what to do.
  expect(all.filter(({ level, todo = "" }) => (level === "failed" || level === "warning") && todo.length < 10)).toEqual(
    [],
  );
  const of = (check: string): Line => {
    const found = all.find((line) => line.check === check);
    if (!found) throw new Error(`no ${check} in:\n${out}${err}`);
    return found;
  };
  return { code, all, of };
}

const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const KEY = publicKey.export({ format: "der", type: "spki" }).toString("base64");
const GOOD: Zone = {
  "example.com TXT": ["site-verification=1", "v=spf1 include:_spf.mail.example -all"],
  "_spf.mail.example TXT": ["v=spf1 ip4:192.0.2.0/24 -all"],
  "s1._domainkey.example.com TXT": [`v=DKIM1; k=rsa; p=${KEY}`],
  "_dmarc.example.com TXT": ["v=DMARC1; p=reject; rua=mailto:dmarc@example.com"],
};
const FROM = { FORM_BACKEND_FROM: "Forms <forms@example.com>" };

describe("doctor names the fault in the mail's way", () => {
  const mail = async (change: Zone, env: Record<string, string> = {}, args = ["--dkim", "s1"]) => {
    const dns = await startDns({ ...GOOD, ...change });
    return doctor({ ...FROM, ...env }, ["--dns", dns.address, ...args]);
  };

  it("none where everything is right", async () => {
    const smtp = await startSmtpServer();
    atEndOfFile(() => smtp.close());
    const { code, of } = await mail({}, { SMTP_URL: `smtp://forms%40example.com:right@127.0.0.1:${smtp.port}` });
    for (const check of ["SMTP login", "SPF", "DKIM", "DMARC", "alignment"])
      expect(of(check)).toMatchObject({ level: "ok" });
    expect(of("SPF").message).toContain("1 of 10 lookups");
    expect(code).toBe(0);
  });

  it("a login that the mail server refuses", async () => {
    const smtp = await startSmtpServer({
      script: ({ stage }) => (stage === "auth" ? { reply: 535, text: "5.7.8 bad credentials" } : undefined),
    });
    atEndOfFile(() => smtp.close());
    const { code, of } = await mail({}, { SMTP_URL: `smtp://forms%40example.com:hidden@127.0.0.1:${smtp.port}` });
    expect(of("SMTP login")).toMatchObject({ level: "failed", message: expect.stringContaining("ERROR_EMAIL_AUTH") });
    expect(of("SMTP login").todo).toMatch(/user and password/);
    expect(JSON.stringify(of("SMTP login"))).not.toContain("hidden");
    expect(code).toBe(1);
  });

  it("a mail server that nobody runs", async () => {
    const { of } = await mail({}, { SMTP_URL: `smtp://127.0.0.1:${await freePort()}` });
    expect(of("SMTP login")).toMatchObject({ level: "failed", todo: expect.stringContaining("host and port") });
  });

  it.each<[string, Zone, string, RegExp]>([
    ["SPF that is missing", { "example.com TXT": ["other"] }, "failed", /has no SPF record/],
    ["two SPF records", { "example.com TXT": ["v=spf1 a -all", "v=spf1 mx -all"] }, "failed", /2 SPF records/],
    ["an SPF record for everybody", { "example.com TXT": ["v=spf1 +all"] }, "failed", /every server in the world/],
    [
      "an SPF record without an end",
      { "example.com TXT": ["v=spf1 a"] },
      "warning",
      /says nothing about other servers/,
    ],
    [
      "an SPF include of nothing",
      { "example.com TXT": ["v=spf1 include:gone.example -all"] },
      "failed",
      /gone\.example, which has no/,
    ],
    [
      "more look-ups than SPF allows",
      { "example.com TXT": [`v=spf1 ${"include:_spf.mail.example ".repeat(11)}-all`] },
      "failed",
      /more than 10 DNS lookups/,
    ],
    [
      "an SPF record that includes itself",
      { "example.com TXT": ["v=spf1 include:example.com -all"] },
      "failed",
      /more than 10/,
    ],
  ])("%s", async (_, zone, level, message) => {
    const { of } = await mail(zone);
    expect(of("SPF")).toMatchObject({ level, message: expect.stringMatching(message) });
  });

  it.each<[string, string[], string, RegExp]>([
    ["a DKIM key that is missing", [], "failed", /has no DKIM key/],
    ["a DKIM key that is revoked", ["v=DKIM1; p="], "failed", /revoked/],
    ["a DKIM key that is cut off", [`v=DKIM1; p=${KEY.slice(0, 100)}`], "failed", /can't be read/],
    [
      "a DKIM key that is short",
      [
        `p=${generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({ format: "der", type: "spki" }).toString("base64")}`,
      ],
      "warning",
      /1024 bits/,
    ],
  ])("%s", async (_, records, level, message) => {
    const { of } = await mail({ "s1._domainkey.example.com TXT": records });
    expect(of("DKIM")).toMatchObject({ level, message: expect.stringMatching(message) });
  });

  it("DKIM is not guessed: without a selector it is not checked, and says how to get one", async () => {
    const { of, code } = await mail({}, {}, []);
    expect(of("DKIM")).toMatchObject({ level: "skipped", todo: expect.stringContaining("--dkim") });
    expect(code).toBe(0);
  });

  it.each<[string, string[], string, RegExp]>([
    ["DMARC that is missing", [], "warning", /no DMARC record/],
    ["two DMARC records", ["v=DMARC1; p=none", "v=DMARC1; p=reject"], "failed", /2 DMARC records/],
    ["a DMARC record without a policy", ["v=DMARC1; rua=mailto:x@example.com"], "failed", /no valid policy/],
  ])("%s", async (_, records, level, message) => {
    const { of } = await mail({ "_dmarc.example.com TXT": records });
    expect(of("DMARC")).toMatchObject({ level, message: expect.stringMatching(message) });
  });

  it("the policy of the domain above counts, by its sp=", async () => {
    const dns = await startDns({ ...GOOD, "_dmarc.example.com TXT": ["v=DMARC1; p=none; sp=reject"] });
    const { of } = await doctor({ FORM_BACKEND_FROM: "a@forms.example.com" }, ["--dns", dns.address]);
    expect(of("DMARC")).toMatchObject({
      level: "ok",
      message: expect.stringContaining("policy reject of example.com"),
    });
  });

  it("a sender of another domain than the mail server's account", async () => {
    const SMTP_URL = `smtp://me%40gmail.test:x@127.0.0.1:${await freePort()}`;
    const refused = await mail({}, { SMTP_URL }, []);
    expect(refused.of("alignment")).toMatchObject({
      level: "failed",
      message: expect.stringContaining("SPF counts only for gmail.test"),
    });
    const lenient = await mail({ "_dmarc.example.com TXT": ["v=DMARC1; p=none"] }, { SMTP_URL }, []);
    expect(lenient.of("alignment").level).toBe("warning");
    expect((await mail({}, { SMTP_URL })).of("alignment").level).toBe("ok");
    const below = await mail({}, { SMTP_URL: SMTP_URL.replace("gmail.test", "mail.example.com") }, []);
    expect(below.of("alignment").level).toBe("ok");
    const strict = await mail(
      { "_dmarc.example.com TXT": ["v=DMARC1; p=reject; aspf=s"] },
      { SMTP_URL: SMTP_URL.replace("gmail.test", "mail.example.com") },
      [],
    );
    expect(strict.of("alignment").level).toBe("failed");
  });

  it("a name server that does not respond, as a warning", async () => {
    const { of } = await doctor(FROM, ["--dns", `127.0.0.1:${await freePort()}`]);
    expect(of("SPF")).toMatchObject({ level: "warning", todo: expect.stringContaining("--dns") });
  });

  it("texts of a stranger's zone can't steer the terminal", async () => {
    const { all } = await mail({ "example.com TXT": ["v=spf1 include:\u001b[2J -all"] });
    const tty = { in: true, out: true, err: true };
    for (const line of all) {
      const text = findingLines({ env: { NO_COLOR: "1" }, tty, columns: 80 }, line as never).join("");
      expect(text).not.toMatch(/\p{Cc}/u);
    }
  });
});

describe("doctor names the fault in the backend's way", () => {
  /** `serve` behind a proxy, which is the address that visitors use. */
  const site = async (options: { takes?: Takes; adds?: Record<string, string>; env?: Record<string, string> } = {}) => {
    let port: number | string = 0;
    const front = await startInFront(() => port, options);
    const cwd = temporaryDirectory();
    const url = `${front.origin}/forms`;
    const started = await running(["serve", "--port", "0", "--host", "127.0.0.1"], {
      cwd,
      env: { FORM_BACKEND_URL: url, ...options.env },
    });
    port = started.first["port"] as string;
    const env = { FORM_BACKEND_URL: url, FORM_BACKEND_KEY: started.first["key"] as string };
    const api = terminal({ env });
    const [form] = parsed((await api.cli("forms", "create", "--name", "Contact", "--key", "contact", "--json")).out);
    return { cwd, url, env, form: form as { id: string; endpoint: string }, port };
  };
  const post = (endpoint: string): Promise<Response> =>
    fetch(endpoint, { method: "POST", body: new URLSearchParams({ email: "ann@example.com" }) });
  const call = (
    env: { FORM_BACKEND_URL: string; FORM_BACKEND_KEY: string },
    method: string,
    path: string,
    body: object,
  ) =>
    fetch(`${env.FORM_BACKEND_URL}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${env.FORM_BACKEND_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  it("none where everything is right, but that the address is one of this machine", async () => {
    const { cwd, env, form } = await site({ env: { FORM_BACKEND_TRUST_PROXY: "1" } });
    await post(form.endpoint);
    await call(env, "PATCH", `/forms/${form.id}`, { self_email_notification: { recipients: ["owner@example.com"] } });
    const { code, all, of } = await doctor({ ...env, FORM_BACKEND_SECRET: "0123456789abcdefghijklmnopqrstuv" }, [], {
      cwd,
    });
    expect(all.filter(({ level }) => level === "failed")).toEqual([]);
    expect(of("baseUrl")).toMatchObject({ level: "warning", message: expect.stringContaining("this machine") });
    for (const check of [
      "Node",
      "secret",
      "storage",
      "store's clock",
      "server's clock",
      "endpoint",
      "trustProxy",
      "CORS",
    ]) {
      expect(of(check)).toMatchObject({ level: "ok" });
    }
    expect(code).toBe(0);
  });

  it("a proxy that the backend does not trust", async () => {
    const { env, form } = await site();
    await post(form.endpoint);
    const { code, of } = await doctor(env);
    expect(of("trustProxy")).toMatchObject({
      level: "failed",
      message: expect.stringMatching(/127\.0\.0\.1.*is a proxy/),
    });
    expect(of("trustProxy").todo).toContain("FORM_BACKEND_TRUST_PROXY");
    expect(code).toBe(1);
  });

  it("a proxy that answers preflights itself", async () => {
    const takes: Takes = (req, res) => req.method === "OPTIONS" && Boolean(res.writeHead(405).end());
    const { env } = await site({ takes });
    const { of } = await doctor(env);
    expect(of("CORS")).toMatchObject({
      level: "failed",
      message: expect.stringMatching(/405 without Access-Control/),
    });
  });

  it("a proxy that adds its own CORS headers", async () => {
    const { env } = await site({ adds: { "access-control-allow-origin": "*" } });
    const { of } = await doctor(env);
    expect(of("CORS")).toMatchObject({ level: "failed", message: expect.stringContaining("twice") });
  });

  it("an origin that the form does not allow", async () => {
    const { env, form } = await site();
    await call(env, "PATCH", `/forms/${form.id}/settings`, { allowed_origins: ["https://shop.example"] });
    expect((await doctor(env)).of("CORS")).toMatchObject({
      level: "ok",
      message: expect.stringContaining("shop.example"),
    });
    const { of } = await doctor(env, ["--form", "contact", "--origin", "https://other.example/page"]);
    expect(of("CORS")).toMatchObject({ level: "failed", message: expect.stringContaining("https://other.example.") });
  });

  it("a baseUrl that nobody serves, that another app serves, and that redirects", async () => {
    const telling = JSON.stringify(await doctor({ FORM_BACKEND_URL: "https://me:pa55word@app.example.com/forms" }));
    expect(telling).toContain("has a user name or password in it");
    expect(telling).not.toContain("pa55word");
    const gone = await doctor({ FORM_BACKEND_URL: `http://127.0.0.1:${await freePort()}/forms` });
    expect(gone.of("baseUrl")).toMatchObject({ level: "failed", message: expect.stringContaining("nothing listens") });
    const other = createServer((req, res) => {
      if (req.url?.startsWith("/old")) res.writeHead(301, { location: "https://www.example.com/forms" }).end();
      else res.writeHead(200, { "content-type": "text/html" }).end("<h1>An app</h1>");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    atEndOfFile(() => other.close());
    const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const app = await doctor({ FORM_BACKEND_URL: `${origin}/forms` });
    expect(app.of("baseUrl")).toMatchObject({
      level: "failed",
      message: expect.stringContaining("not a form backend"),
    });
    const moved = await doctor({ FORM_BACKEND_URL: `${origin}/old` });
    expect(moved.of("baseUrl")).toMatchObject({
      level: "failed",
      message: expect.stringContaining("redirects to https://www"),
    });
    expect(moved.code).toBe(1);
  });

  it("a name that only this machine or its network knows", async () => {
    const dns = await startDns({ "inside.example A": ["10.1.2.3"], "public.example A": ["93.184.216.34"] });
    const health = (): Promise<Response> =>
      Promise.resolve(Response.json({ status: "ok", time: new Date().toISOString() }));
    const at = (host: string) =>
      doctor({ FORM_BACKEND_URL: `https://${host}/forms` }, ["--dns", dns.address], { fetch: health });
    expect((await at("hosts-file.example")).of("baseUrl").message).toContain("DNS does not know");
    expect((await at("inside.example")).of("baseUrl").message).toContain("resolves to 10.1.2.3");
    expect((await at("public.example")).of("baseUrl").level).toBe("ok");
  });

  it("another baseUrl than the one that is asked", async () => {
    const { env, port } = await site();
    const { of } = await doctor({ ...env, FORM_BACKEND_URL: `http://127.0.0.1:${port}/forms` });
    expect(of("endpoint")).toMatchObject({
      level: "failed",
      message: expect.stringContaining("that is the backend's baseUrl"),
    });
  });

  it("metadata of MCP that is missing at the root", async () => {
    let root = false;
    const takes: Takes = (req, res) => {
      const url = `http://${req.headers.host}/forms`;
      const send = (status: number, body: object): true =>
        Boolean(res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))) as true;
      if (req.url === "/forms/mcp") return send(401, {});
      if (req.url === "/forms/.well-known/oauth-protected-resource/mcp") return send(200, { resource: `${url}/mcp` });
      if (req.url === "/.well-known/oauth-protected-resource/forms/mcp") {
        return root ? send(200, { resource: `${url}/mcp/` }) : send(404, {});
      }
      return false;
    };
    const { env } = await site({ takes });
    const missing = await doctor(env);
    expect(missing.of("MCP metadata")).toMatchObject({
      level: "failed",
      todo: expect.stringContaining("protectedResourceMetadata(backend)"),
    });
    root = true;
    const slash = await doctor(env);
    expect(slash.of("MCP metadata")).toMatchObject({
      level: "failed",
      message: expect.stringContaining("expect exactly"),
    });
  });

  it("a webhook that is off, one that fails, an email that fails, a notification that nobody gets", async () => {
    const refusing = createServer((_, res) => res.writeHead(503).end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => refusing.once("listening", resolve));
    atEndOfFile(() => refusing.close());
    const smtp = await startSmtpServer({
      script: ({ stage }) => (stage === "rcpt" ? { reply: 550, text: "no such user" } : undefined),
    });
    atEndOfFile(() => smtp.close());
    const { env, form } = await site({ env: { FORM_BACKEND_WEBHOOK_CIDRS: "127.0.0.0/8", SMTP_URL: smtp.url } });
    const receiver = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    await call(env, "PATCH", `/forms/${form.id}`, { self_email_notification: { enabled: true, recipients: [] } });
    await call(env, "POST", `/forms/${form.id}/webhooks`, { url: `${receiver}/crm`, description: "crm" });
    await call(env, "POST", `/forms/${form.id}/webhooks`, {
      url: `${receiver}/old`,
      description: "old",
      enabled: false,
    });
    const before = await doctor(env, ["--send"]);
    expect(before.of("mail")).toMatchObject({ level: "warning", message: expect.stringContaining("no recipient") });
    expect(before.all.filter(({ check }) => check === "webhooks").map(({ message }) => message)).toEqual([
      "crm answered 503 to the test event.",
      "old is off: nothing is sent to it.",
    ]);
    await call(env, "PATCH", `/forms/${form.id}`, { self_email_notification: { recipients: ["gone@example.com"] } });
    await post(form.endpoint);
    await vi.waitFor(
      async () => {
        const after = await doctor(env);
        expect(after.of("mail")).toMatchObject({ level: "failed", message: expect.stringContaining("ERROR_EMAIL_") });
        expect(after.of("webhooks")).toMatchObject({
          level: "failed",
          message: expect.stringContaining("answered with 503"),
        });
      },
      { timeout: 15_000, interval: 100 },
    );
  });

  it("a key that is refused, with 3", async () => {
    const { env } = await site();
    const { code, of } = await doctor({ ...env, FORM_BACKEND_KEY: "fb_live_wrong" });
    expect(of("key")).toMatchObject({ level: "failed", todo: expect.stringContaining("keys create") });
    expect(code).toBe(3);
  });
});

describe("doctor names the fault of the server's own", () => {
  it("a secret that is too short, or easy to guess", async () => {
    const short = await doctor({ FORM_BACKEND_SECRET: "short" });
    expect(short.of("secret")).toMatchObject({ level: "failed", message: expect.stringContaining("at least 32") });
    const same = await doctor({ FORM_BACKEND_SECRET: "x".repeat(40) });
    expect(same.of("secret")).toMatchObject({ level: "warning", todo: expect.stringContaining("openssl rand") });
  });

  it("a secret that is neither in the environment nor next to the database", async () => {
    const cwd = temporaryDirectory();
    const folder = join(cwd, ".form-backend");
    mkdirSync(folder);
    await sqliteStorage({ path: join(folder, "forms.db") }).open();
    expect((await doctor({}, [], { cwd })).of("secret")).toMatchObject({
      level: "skipped",
      todo: expect.stringContaining("serve"),
    });
    writeFileSync(join(folder, "forms.db-secret"), "0123456789abcdefghijklmnopqrstuv");
    expect((await doctor({}, [], { cwd })).of("secret")).toMatchObject({ level: "ok" });
  });

  it("a store that can't be read", async () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, ".form-backend"));
    writeFileSync(join(cwd, ".form-backend/forms.db"), "no database at all, and long enough for a header".repeat(100));
    const { code, of } = await doctor({}, [], { cwd });
    expect(of("storage")).toMatchObject({ level: "failed", message: expect.stringContaining("can't be used") });
    expect(code).toBe(1);
  });

  it("a clock that is off", async () => {
    const cwd = temporaryDirectory();
    await terminal({ cwd }).cli("migrate");
    const at = async (offset: number) =>
      (await doctor({}, [], { cwd, now: () => Date.now() + offset })).of("store's clock");
    expect(await at(0)).toMatchObject({ level: "ok" });
    expect(await at(60_000)).toMatchObject({ level: "warning", message: expect.stringContaining("60 s behind") });
    expect(await at(-600_000)).toMatchObject({ level: "failed", message: expect.stringContaining("600 s ahead") });
  });

  it.each([
    [
      { DATABASE_URL: "postgres://u:hidden@127.0.0.1:1/d", FORM_BACKEND_SECRET: "x".repeat(40) },
      "storage",
      /can't be used.*ECONNREFUSED/,
    ],
    [{ S3_URL: "http://id:hidden@127.0.0.1:1/forms" }, "S3", /can't be used/],
    [{ REDIS_URL: "redis://:hidden@127.0.0.1:1" }, "Redis", /can't be used/],
    [{ S3_URL: "http://h/b" }, "S3", /lacks the key id/],
  ])("a server that does not listen: %j", async (env, check, message) => {
    const { of, all } = await doctor(env);
    expect(of(check)).toMatchObject({ level: "failed", message: expect.stringMatching(message) });
    expect(JSON.stringify(all)).not.toContain("hidden");
  });

  it("the oldest versions it accepts are those of package.json", () => {
    const { peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
    for (const [, name, oldest] of NEEDED) expect(peerDependencies[name]).toContain(oldest);
  });
});

describe("doctor", () => {
  it("has nothing to check without a variable or a store, and ends with 64", async () => {
    const { code, out, err } = await terminal({ cwd: temporaryDirectory() }).cli("doctor");
    expect({ code, out }).toEqual({ code: 64, out: "" });
    expect(err).toMatch(/FORM_BACKEND_URL/);
  });

  it.each([
    [["--dns", "localhost"], /--dns must be the IP address/],
    [["--dkim", "a b"], /must be a selector/],
    [["--origin", "example.com"], /must be a site/],
  ])("refuses %j with 64", async (args, message) => {
    const { code, err } = await terminal({ env: FROM }).cli("doctor", ...args);
    expect(code).toBe(64);
    expect(err).toMatch(message);
  });

  it("breaks its lines at the width of the terminal, and keeps words whole", () => {
    const tty = { in: true, out: true, err: true };
    const lines = findingLines(
      { env: { NO_COLOR: "1" }, tty, columns: 60 },
      { check: "SPF", level: "failed", message: "word ".repeat(30).trim(), todo: "step ".repeat(30).trim() },
    );
    expect(lines.every((line) => line.length <= 60)).toBe(true);
    expect(lines[0]).toMatch(/^✗ SPF: word/);
    expect(lines.find((line) => line.includes("→"))).toMatch(/^ {2}→ step/);
  });
});
