import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { atEndOfFile } from "../../../_support/cleanup.ts";
import { closedPort } from "../../../_support/receivers.ts";
import { running } from "../../../_support/running.ts";
import { startSmtpServer } from "../../../_support/smtp.ts";
import { temporaryDirectory } from "../../../_support/temporary.ts";
import { parsed, terminal } from "../../../_support/terminal.ts";

const post = (url: string, fields: Record<string, string>): Promise<Response> =>
  fetch(url, { method: "POST", body: new URLSearchParams(fields), headers: { accept: "application/json" } });
const page = async (url: string): Promise<string> => (await fetch(url)).text();
/** Ports of the test's own make the messages of set-up differ; a page may need a moment until its job has run. */
const until = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 15_000, interval: 50 });

describe("dev", () => {
  it("shows a submission in mailbox, receiver and inbox, and keeps it all for the next start", async () => {
    const cwd = temporaryDirectory();
    const { first, stop } = await running(["dev", "--port", "0"], { cwd });
    const endpoint = /action="([^"]+)"/.exec(await page(first["form"]!))?.[1];
    expect(endpoint).toBe(first["endpoint"]);
    const answer = await post(endpoint!, { name: "Ann", email: "ann@example.com", message: "Hello <b>you</b>" });
    expect(answer.status).toBe(200);

    await until(async () => expect(await page(first["mailbox"]!)).toMatch(/href="\/mailbox\/[^"]+"/));
    const [, path] = /href="(\/mailbox\/[^"]+)"/.exec(await page(first["mailbox"]!)) ?? [];
    const mail = await page(new URL(path!, first["form"]).href);
    expect(mail).toContain("owner@example.com");
    expect(mail).toContain("ann@example.com");
    expect(mail).not.toContain("<b>you</b>");
    const html = await fetch(new URL(`${path}/html`, first["form"]));
    expect(html.headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'/);
    await until(async () => expect(await page(first["webhooks"]!)).toContain("✓ verified"));

    const opened = await fetch(first["inbox"]!, { redirect: "manual" });
    expect(opened.status).toBe(200);
    const env = { FORM_BACKEND_URL: first["url"], FORM_BACKEND_KEY: first["key"] };
    const listed = await terminal({ env }).cli("submissions", "list", "contact", "--json");
    expect(parsed(listed.out)).toHaveLength(1);
    expect(await stop()).toMatchObject({ code: 0 });

    const again = await running(["dev", "--port", "0"], { cwd });
    expect(again.first["key"]).toBe(first["key"]);
    expect(new URL(again.first["endpoint"]!).pathname).toBe(new URL(endpoint!).pathname);
    await post(again.first["endpoint"]!, { name: "Bob", email: "bob@example.com", message: "Hi" });
    await until(async () => expect((await page(again.first["webhooks"]!)).match(/✓ verified/g)).toHaveLength(2));
    await again.stop();
    expect(readFileSync(join(cwd, ".form-backend/.gitignore"), "utf8")).toBe("*\n");
    expect(statSync(join(cwd, ".form-backend/dev.json")).mode & 0o077).toBe(0);
  });

  it("makes a new key after its database was deleted", async () => {
    const cwd = temporaryDirectory();
    const { first, stop } = await running(["dev", "--port", "0"], { cwd });
    await stop();
    const folder = join(cwd, ".form-backend");
    for (const file of readdirSync(folder)) if (/^forms\.db(-wal|-shm)?$/.test(file)) rmSync(join(folder, file));
    const again = await running(["dev", "--port", "0"], { cwd });
    expect(again.first["key"]).not.toBe(first["key"]);
    const env = { FORM_BACKEND_URL: again.first["url"], FORM_BACKEND_KEY: again.first["key"] };
    expect((await terminal({ env }).cli("forms", "list", "--json")).code).toBe(0);
    await again.stop();
  });

  it("answers only to names of this machine, and reads no path outside of its folder", async () => {
    const { first, stop } = await running(["dev", "--port", "0"], { cwd: temporaryDirectory() });
    const status = (path: string, host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const { port } = new URL(first["form"]!);
        get({ port, host: "127.0.0.1", path, headers: { host } }, (res) => {
          res.resume();
          resolve(res.statusCode);
        }).on("error", reject);
      });
    const { host } = new URL(first["form"]!);
    expect(await status("/mailbox", host)).toBe(200);
    expect(await status("/mailbox", "evil.example")).toBe(403);
    expect(await status("/mailbox/..%2fdev", host)).toBe(404);
    expect(await status("/mailbox/../dev.json", host)).toBe(404);
    expect((await post(first["webhooks"]!, { forged: "1" })).status).toBe(401);
    expect(await page(first["webhooks"]!)).toContain("✗ not verified");
    expect((await post(first["webhooks"]!, { big: "x".repeat(5_000_000) })).status).toBe(413);
    await stop();
  });
});

describe("serve", () => {
  it("is a whole product: a key, a link, a form, an email over SMTP", async () => {
    const smtp = await startSmtpServer();
    atEndOfFile(() => smtp.close());
    const cwd = temporaryDirectory();
    const env = { SMTP_URL: smtp.url, FORM_BACKEND_FROM: "Forms <forms@example.org>" };
    const { first, stop } = await running(["serve", "--port", "0", "--host", "127.0.0.1"], { cwd, env });
    expect(first["key"]).toMatch(/^fb_live_/);
    expect((await fetch(first["inbox"]!)).status).toBe(200);
    const home = await fetch(`http://127.0.0.1:${first["port"]}/`, { redirect: "manual" });
    expect(home.headers.get("location")).toBe(`${first["url"]}/inbox`);
    expect((await fetch(`${first["url"]}/v1/health`)).status).toBe(200);

    const client = terminal({ env: { FORM_BACKEND_URL: first["url"], FORM_BACKEND_KEY: first["key"] } });
    const [form] = parsed((await client.cli("forms", "create", "--name", "Contact", "--key", "contact", "--json")).out);
    const changed = await fetch(`${first["url"]}/v1/forms/${form?.["id"]}`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${first["key"]}`, "content-type": "application/json" },
      body: JSON.stringify({ self_email_notification: { recipients: ["owner@example.com"] } }),
    });
    expect(changed.status).toBe(200);
    expect((await post(String(form?.["endpoint"]), { email: "ann@example.com" })).status).toBe(200);
    await until(async () => expect(smtp.messages.map(({ recipients }) => recipients)).toEqual([["owner@example.com"]]));
    expect(smtp.messages[0]?.from.address).toBe("forms@example.org");

    expect((await terminal({ cwd }).cli("keys", "list", "--json")).out).toContain("first key");
    const ended = await stop();
    expect(ended.code).toBe(0);
    expect(ended.err).not.toContain(first["key"]);
    const second = await running(["serve", "--port", "0", "--host", "127.0.0.1"], { cwd, env });
    expect(second.first["key"]).toBeNull();
    await second.stop();
  });

  it("prints no credential in production without a terminal, and names the command that makes one", async () => {
    const cwd = temporaryDirectory();
    const env = { NODE_ENV: "production", FORM_BACKEND_SECRET: "0123456789abcdefghijklmnopqrstuv" };
    const { cli, written, stop } = terminal({ cwd, env });
    const ended = cli("serve", "--port", "0", "--host", "127.0.0.1");
    await until(async () => expect(written.err).toContain("form-backend keys create"));
    stop.abort();
    const { out, err } = await ended;
    expect(out).toMatch(/^Inbox +http:\/\/localhost:\d+\/inbox$/m);
    expect(`${out}${err}`).not.toMatch(/fb_live_|token=/);
    expect((await terminal({ cwd, env }).cli("keys", "list", "--json")).out).not.toContain("first key");
  });

  it("says that a port is taken, and leaves nothing open", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    atEndOfFile(() => other.close());
    const { port } = other.address() as { port: number };
    const { cli } = terminal({ cwd: temporaryDirectory() });
    const { code, err } = await cli("serve", "--port", String(port), "--host", "127.0.0.1");
    expect(code).toBe(1);
    expect(err).toMatch(/Port \d+ is taken.*--port/);
  });

  it("does not go on listening where an option is wrong", async () => {
    const port = String(await closedPort());
    const env = { FORM_BACKEND_URL: "https://[::forms" };
    const { cli } = terminal({ cwd: temporaryDirectory(), env });
    for (const _ of [1, 2]) {
      const { code, err } = await cli("serve", "--port", port, "--host", "127.0.0.1");
      expect(code).not.toBe(0);
      expect(err).not.toContain("is taken");
    }
  });

  it.each([
    [{ SMTP_URL: "mail.example.com" }, /SMTP_URL must begin with smtp/],
    [{ SMTP_URL: "smtp://forms:pass#word@mail.example.com" }, /^[^#]*SMTP_URL is not a URL[^#]*$/],
    [{ S3_URL: "https://host/bucket" }, /S3_URL lacks/],
    [{ FORM_BACKEND_URL: "forms.example.com" }, /FORM_BACKEND_URL must begin/],
    [{ PORT: "web" }, /PORT must be a number/],
    [{ DATABASE_URL: "file:forms.db" }, /DATABASE_URL must begin with postgres/],
    [{ NODE_ENV: "production" }, /FORM_BACKEND_SECRET is not set/],
  ])("refuses %j with 64 before anything is made", async (env, message) => {
    const cwd = temporaryDirectory();
    const { code, err } = await terminal({ cwd, env }).cli("serve");
    expect(code).toBe(64);
    expect(err).toMatch(message);
    expect(existsSync(join(cwd, ".form-backend/forms.db"))).toBe(false);
  });
});
