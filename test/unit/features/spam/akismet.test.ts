import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { akismetCheck } from "../../../../src/features/spam/akismet.ts";
import { memoryStorage, type Verdict } from "../../../../src/index.ts";
import { harness } from "../../../_support/backend.ts";

interface Reply {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  hang?: boolean;
}

/** Akismet's comment-check as documented: POST, urlencoded, answers `true`, `false` or `invalid` as plain text. */
let reply: Reply = {};
const asked: { method: string; type: string; agent: string; body: Record<string, string> }[] = [];
const server = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => {
    text += chunk;
  });
  request.on("end", () => {
    const { headers, method = "" } = request;
    const body = Object.fromEntries(new URLSearchParams(text));
    asked.push({ method, type: headers["content-type"] ?? "", agent: headers["user-agent"] ?? "", body });
    if (reply.hang) return;
    const wrongKey = body["api_key"] !== "key";
    response.writeHead(reply.status ?? 200, {
      "content-type": "text/plain",
      ...(wrongKey && { "x-akismet-debug-help": "We were unable to parse your API key" }),
      ...reply.headers,
    });
    response.end(wrongKey ? "invalid" : (reply.body ?? "false"));
  });
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/1.1/comment-check`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  reply = {};
  asked.length = 0;
});

async function judged(
  fields: object,
  more: { apiKey?: string; timeoutMs?: number; url?: string } = {},
): Promise<{ verdict: Verdict[]; errors: string[] }> {
  const storage = memoryStorage();
  const errors: string[] = [];
  const check = akismetCheck({ apiKey: "key", blog: "https://site.example", url, ...more });
  const b = harness({
    storage,
    spam: { checks: [check] },
    logger: { debug() {}, info() {}, warn() {}, error: (line) => void errors.push(line) },
  });
  const form = await b.forms.create({ name: "A" });
  const { json, status } = await b.post(form.id, fields, {
    "user-agent": "browser/1",
    referer: "https://site.example/contact",
  });
  expect(status).toBe(200);
  return {
    verdict: (await storage.get("submissions", [json.submission_id])).get(json.submission_id)?.value[
      "verdict"
    ] as Verdict[],
    errors,
  };
}

describe("akismetCheck", () => {
  it("asks as the documentation says", async () => {
    await judged({
      name: "Ann",
      email: "ann@example.com",
      website: "https://ann.example",
      message: "Hello ünïcode",
      budget: "5",
      empty: "",
    });
    expect(asked).toEqual([
      {
        method: "POST",
        type: expect.stringContaining("application/x-www-form-urlencoded"),
        agent: expect.stringMatching(/^[\w-]+\/\d+ \| [\w-]+\/\d+$/),
        body: {
          api_key: "key",
          blog: "https://site.example",
          user_ip: "203.0.113.9",
          user_agent: "browser/1",
          referrer: "https://site.example/contact",
          permalink: "https://site.example/contact",
          comment_type: "contact-form",
          comment_author: "Ann",
          comment_author_email: "ann@example.com",
          comment_author_url: "https://ann.example",
          comment_content: "Hello ünïcode\nbudget: 5",
          comment_date_gmt: "2026-01-01T00:00:00.000Z",
          blog_charset: "UTF-8",
        },
      },
    ]);
  });

  it("takes true for spam, and the discard tip for certainty", async () => {
    reply = { body: "true" };
    expect((await judged({ a: 1 })).verdict).toEqual([{ check: "akismet", spam: true }]);
    reply = { body: "true", headers: { "x-akismet-pro-tip": "discard" } };
    expect((await judged({ a: 1 })).verdict).toEqual([{ check: "akismet", spam: true, score: 1, reason: "discard" }]);
    reply = { body: "false" };
    expect((await judged({ a: 1 })).verdict).toEqual([{ check: "akismet", spam: false }]);
  });

  it("has no opinion, and says why in the log, while Akismet refuses the key, fails, hangs or is away", async () => {
    const cases: [Reply, Parameters<typeof judged>[1], string][] = [
      [{}, { apiKey: "wrong" }, "Akismet answered HTTP 200 without a verdict"],
      [{ status: 500, body: "oops" }, {}, "HTTP 500"],
      [{ status: 302, headers: { location: "/elsewhere" } }, {}, "akismet"],
      [{ hang: true }, { timeoutMs: 100 }, "akismet"],
      [{}, { url: "http://127.0.0.1:1/" }, "akismet"],
    ];
    for (const [answer, more, said] of cases) {
      reply = answer;
      const { verdict, errors } = await judged({ a: 1 }, more);
      expect(verdict).toEqual([]);
      expect(errors).toHaveLength(1);
      expect(errors[0]).toContain(said);
      expect(errors[0]).not.toContain("api_key");
    }
  });

  it("has no opinion without an address, which Akismet requires", async () => {
    const check = akismetCheck({ apiKey: "key", blog: "https://site.example", url });
    const submission = {
      form_id: "f",
      created_at: "2026-01-01T00:00:00.000Z",
      ip: null,
      country: null,
      user_agent: null,
      referer: null,
      fields: [],
    };
    expect(await check(submission, {} as never)).toBeNull();
    expect(asked).toEqual([]);
  });
});
