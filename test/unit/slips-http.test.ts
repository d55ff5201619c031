import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import expressApp from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { formBackend as express } from "../../adapters/express.ts";
import { createFormBackend, memoryStorage } from "../../src/index.ts";
import { createTestBackend } from "../../src/surfaces/testing/backend.ts";

const url = (path: string): string => `http://localhost:3000/forms${path}`;

async function said(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as { error: { message: string } };
  return error.message;
}

describe("a wrong credential", () => {
  const backend = createTestBackend();
  const ask = (headers: Record<string, string>) => backend.fetch(new Request(url("/v1/me"), { headers }));
  const bearer = (token: string) => ask({ authorization: `Bearer ${token}` });

  it("is told apart: revoked, expired, cut short, of another installation", async () => {
    const name = "k";
    const revoked = await backend.keys.create({ name, scopes: "all" });
    const { revoked_at } = await backend.keys.revoke(revoked.id);
    expect(await said(await bearer(revoked.key))).toBe(`The key was revoked at ${revoked_at}.`);

    const expires_at = "2026-01-01T00:01:00.000Z";
    const expired = await backend.keys.create({ name, scopes: "all", expires_at });
    await backend.clock.advance(60_000);
    expect(await said(await bearer(expired.key))).toBe(`The key expired at ${expires_at}.`);

    const cut = await bearer(revoked.key.slice(0, -3));
    expect(await said(cut)).toMatch(/^The token is not an API key, which begins with "\w+"; is it complete\?$/);
    expect(cut.status).toBe(401);

    const other = await createTestBackend().keys.create({ name, scopes: "all" });
    expect(await said(await bearer(other.key))).toMatch(/^This key is unknown/);
  });

  it.each([
    ["X-API-Key", { "x-api-key": "k" }, "`X-API-Key` is not read: send the key as `Authorization: Bearer <token>`."],
    ["Basic", { authorization: "Basic dTpw" }, "`Authorization` has another form: send the key as"],
    ["the key alone", { authorization: "fb_123" }, "`Authorization` has another form: send the key as"],
    ["nothing", {}, "Send an API key or access token as `Authorization: Bearer <token>`."],
  ])("is told how to be sent: %s", async (_, headers, sentence) => {
    const answer = await ask(headers as Record<string, string>);
    expect([answer.status, await said(answer)]).toEqual([401, expect.stringContaining(sentence)]);
  });

  it("names the scope that it lacks", async () => {
    const { key } = await backend.keys.create({ name: "k", scopes: ["submissions:read"] });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const request = new Request(url("/v1/forms"), { method: "POST", headers, body: '{"name":"A"}' });
    expect(await said(await backend.fetch(request))).toBe("The credential lacks the scope forms:write.");
  });
});

describe("a wrong mount path", () => {
  const sentence =
    /^a request for "\/form\/f\/x" reached the form backend, which responds under "\/forms".*mount it there/;
  it.each([
    ["development", sentence],
    ["production", /^There is nothing at this address\.$/],
  ])("in %s, the 404 says so each time: %s", async (env, expected) => {
    vi.stubEnv("NODE_ENV", env);
    onTestFinished(() => void vi.unstubAllEnvs());
    const warn = vi.fn();
    const logger = { debug() {}, info() {}, warn, error() {} };
    const backend = createTestBackend({ logger });
    for (let i = 0; i < 2; i++) {
      const answer = await backend.fetch(new Request("http://localhost:3000/form/f/x"));
      expect([answer.status, await said(answer)]).toEqual([404, expect.stringMatching(expected)]);
    }
    expect(warn.mock.calls).toEqual([[expect.stringMatching(sentence)]]);
  });
});

describe("an origin that is not listed", () => {
  it("is named in the log, at once and in the summary of the minute", async () => {
    vi.stubEnv("NODE_ENV", "development");
    onTestFinished(() => void vi.unstubAllEnvs());
    const info = vi.fn();
    const backend = createFormBackend({
      baseUrl: url(""),
      secret: "a secret for tests that is long enough",
      storage: memoryStorage(),
      logger: { debug() {}, info, warn() {}, error() {} },
      work: false,
    });
    const settings = { allowed_origins: ["https://example.com"] };
    const form = await backend.forms.create({ name: "A", settings });
    const headers = { origin: "https://exmaple.com" };
    const body = new URLSearchParams({ email: "ann@example.com" });
    const answer = await backend.fetch(new Request(form.endpoint, { method: "POST", headers, body }));
    expect([answer.status, info.mock.calls.map(([line]) => line).filter((line) => line.includes("refused"))]).toEqual([
      403,
      [expect.stringMatching(/^form \w+ refused a post: origin_not_allowed: .*, from https:\/\/exmaple\.com$/)],
    ]);
    await backend.close();
    expect(info.mock.calls.map(([line]) => line)).toContainEqual(
      expect.stringContaining('refused: "https://exmaple.com" is not among the form\'s `allowed_origins`'),
    );
  });
});

describe("a 404 handler in front of the backend", () => {
  it("hides it, which the health check shows: no answer of ours", async () => {
    const backend = createTestBackend();
    const ask = async (order: "before" | "behind") => {
      const app = expressApp();
      const own: expressApp.RequestHandler = (_, response) => void response.status(404).send("own 404");
      if (order === "behind") app.use(own);
      app.use("/forms", express(backend));
      app.use(own);
      const server = createServer(app).listen(0, "127.0.0.1");
      await once(server, "listening");
      onTestFinished(() => void server.close());
      const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/forms/v1/health`);
      return [answer.status, answer.headers.has("x-request-id")];
    };
    expect(await ask("before")).toEqual([200, true]);
    expect(await ask("behind")).toEqual([404, false]);
  });
});
