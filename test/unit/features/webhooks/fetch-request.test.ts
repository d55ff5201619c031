import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { createFetchClient } from "../../../../src/features/webhooks/fetch-request.ts";
import { httpsResolver } from "../../../../src/lib/dns-https.ts";
import { addressPolicy } from "../../../../src/lib/net-guard.ts";
import { atEndOfFile } from "../../../_support/cleanup.ts";

async function server(listener: RequestListener): Promise<string> {
  const made = createServer(listener);
  await once(made.listen(0, "127.0.0.1"), "listening");
  atEndOfFile(() => {
    made.closeAllConnections();
    made.close();
  });
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

const client = (more: object = {}) =>
  createFetchClient({
    policy: addressPolicy({ allowCidrs: ["127.0.0.0/8"] }),
    allowHttp: true,
    timeoutMs: 2_000,
    ...more,
  });
const request = { headers: { "Webhook-Id": "1", Host: "evil" }, body: '{"a":1}' };

/** DNS over HTTPS that answers what a test wants, and the addresses it was asked for. */
async function dns(answers: Record<string, object>): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const url = await server((req, res) => {
    const { searchParams } = new URL(req.url ?? "", "http://dns");
    const question = `${searchParams.get("type")} ${searchParams.get("name")}`;
    asked.push(question);
    res.setHeader("content-type", "application/dns-json");
    res.end(JSON.stringify(answers[question] ?? { Status: 0 }));
  });
  return { url, asked };
}

describe("webhooks by fetch", () => {
  it("arrive with their headers and body, and nothing of a redirect is followed", async () => {
    const seen: string[] = [];
    const url = await server(async (req, res) => {
      seen.push(`${req.method} ${req.url} ${req.headers["webhook-id"]} ${req.headers.host} ${await text(req)}`);
      if (req.url === "/moved") res.writeHead(302, { location: "/elsewhere" }).end();
      else if (req.url === "/busy") res.writeHead(503, { "retry-after": "7" }).end("x".repeat(100_000));
      else res.end("fine");
    });
    expect(await client().post(`${url}/hook`, request)).toMatchObject({ ok: true, code: "SUCCESS", http_status: 200 });
    expect(seen).toEqual([`POST /hook 1 ${new URL(url).host} {"a":1}`]);
    expect(await client().post(`${url}/moved`, request)).toMatchObject({ ok: false, code: "ERROR_WEBHOOK_HTTP_3XX" });
    expect(seen).toHaveLength(2);
    const busy = await client().post(`${url}/busy`, request);
    expect(busy).toMatchObject({ code: "ERROR_WEBHOOK_HTTP_5XX", retry_after: "7" });
    expect(busy.body?.length).toBe(16_384);
    const read = await client().post(`${url}/hook`, { ...request, readsSuccess: true });
    expect(read).toMatchObject({ ok: true, body: "fine" });
  });

  it("are refused for a private address, written out or behind a name", async () => {
    const { url, asked } = await dns({
      "A inside.example": {
        Status: 0,
        Answer: [
          { type: 5, data: "alias.example" },
          { type: 1, data: "10.0.0.1" },
        ],
      },
      "A mixed.example": { Status: 0, Answer: [{ type: 1, data: "93.184.215.14" }] },
      "AAAA mixed.example": { Status: 0, Answer: [{ type: 28, data: "fd00::1" }] },
      "A none.example": { Status: 3 },
      "AAAA none.example": { Status: 3 },
    });
    const own = client({ policy: addressPolicy(), dnsUrl: url });
    const BLOCKED = { ok: false, code: "ERROR_WEBHOOK_BLOCKED_ADDRESS" };
    for (const to of ["http://127.0.0.1/", "http://[::1]/", "http://localhost/", "http://2130706433/"])
      expect(await own.post(to, request), to).toMatchObject(BLOCKED);
    expect(asked).toEqual([]);
    expect(await own.post("https://inside.example/", request)).toMatchObject(BLOCKED);
    expect(await own.post("https://mixed.example/", request)).toMatchObject(BLOCKED);
    expect(await own.post("https://none.example/", request)).toMatchObject({
      code: "ERROR_WEBHOOK_DNS",
      node_error_code: "ENOTFOUND",
    });
    // One after the other: there are few connections.
    expect(asked.slice(0, 2)).toEqual(["A inside.example", "AAAA inside.example"]);
  });

  it("fail for a while where DNS does not answer, and in time where the receiver does not", async () => {
    const broken = await server((_, res) => res.writeHead(500).end());
    expect(await client({ dnsUrl: broken }).post("https://a.example/", request)).toMatchObject({
      code: "ERROR_WEBHOOK_DNS",
      node_error_code: "ESERVFAIL",
    });
    const silent = await server(() => {});
    expect(await client({ timeoutMs: 200 }).post(silent, request)).toMatchObject({ code: "ERROR_WEBHOOK_TIMEOUT" });
    expect(await client().post("http://127.0.0.1:1/", request)).toMatchObject({ code: "ERROR_WEBHOOK_INVALID_URL" });
    const closed = client();
    closed.close();
    expect(await closed.post(silent, request)).toMatchObject({ code: "ERROR_WEBHOOK_INTERNAL" });
  });

  it("asks DNS for JSON, and keeps both kinds of address apart", async () => {
    const { url } = await dns({ "AAAA a.example": { Status: 0, Answer: [{ type: 28, data: "2606:2800::1" }] } });
    const resolver = httpsResolver(url);
    expect(await resolver.resolve6("a.example")).toEqual(["2606:2800::1"]);
    await expect(resolver.resolve4("a.example")).rejects.toMatchObject({ code: "ENODATA" });
  });
});
