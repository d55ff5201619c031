import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recaptcha } from "../../../../src/features/spam/captcha/recaptcha.ts";
import { turnstile } from "../../../../src/features/spam/captcha/turnstile.ts";

let answer: { status: number; body: unknown; location?: string } = { status: 200, body: {} };
const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(String(request.url));
  const { status, body, location } = answer;
  response.writeHead(status, { "content-type": "application/json", ...(location && { location }) });
  response.end(JSON.stringify(body));
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

const question = (token = "t") => ({
  secret: "s",
  token,
  ip: null,
  url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/verify`,
  signal: AbortSignal.timeout(5_000),
});

describe("a verdict that is none", () => {
  it.each([
    ["too many questions", 429, { success: false, "error-codes": ["invalid-input-response"] }],
    ["a fault of the service", 500, { success: false, "error-codes": [] }],
    ["a fault that it names", 200, { success: false, "error-codes": ["internal-error"] }],
    ["another object", 200, { ok: true }],
    ["a list", 200, []],
    ["null", 200, null],
  ])("%s leaves the visitor unverified", async (_name, status, body) => {
    answer = { status, body };
    expect((await recaptcha.ask(question())).outcome).toBe("unreachable");
  });

  it("a redirect is not followed, for the secret goes along", async () => {
    asked.length = 0;
    answer = { status: 307, body: { success: true }, location: "/elsewhere" };
    expect((await recaptcha.ask(question())).outcome).toBe("unreachable");
    expect(asked).toEqual(["/verify"]);
  });

  it.each(["true", 1, {}])("`success` %j is no success", async (success) => {
    answer = { status: 200, body: { success } };
    expect((await recaptcha.ask(question())).outcome).toBe("failed");
  });
});

describe("a token of Turnstile", () => {
  it("has at most 2,048 characters; a longer one is refused unasked", async () => {
    answer = { status: 200, body: { success: true } };
    expect((await turnstile.ask(question("t".repeat(2_048)))).outcome).toBe("passed");
    asked.length = 0;
    expect((await turnstile.ask(question("t".repeat(2_049)))).outcome).toBe("failed");
    expect(asked).toEqual([]);
  });
});
