import type { IncomingHttpHeaders } from "node:http";
import { describe, expect, test } from "vitest";
import { newSecret, signatures } from "../../../../src/features/webhooks/sign.ts";
import { verifyWebhook } from "../../../../src/features/webhooks/verify.ts";
import { closedPort, httpReceiver, tcpReceiver } from "../../../_support/receivers.ts";
import { answering, client, kept, OK } from "../../../_support/webhook-client.ts";

describe("the request", () => {
  test("is one POST of exactly the signed bytes, with the documented headers", async () => {
    const received: {
      method?: string | undefined;
      url?: string | undefined;
      headers: IncomingHttpHeaders;
      body: Buffer;
    }[] = [];
    const receiver = await kept(
      httpReceiver(async (request, response) => {
        const body = Buffer.concat(await request.toArray());
        received.push({ method: request.method, url: request.url, headers: request.headers, body });
        response.end("thanks");
      }),
    );
    const body = '{"type":"submission.created","timestamp":"2026-11-21T04:16:00.123Z","data":{"name":"Zoë 😀"}}';
    const secret = newSecret();
    const headers = {
      ...signatures({ id: "msg_1", timestamp: Math.floor(Date.now() / 1_000), body, secrets: [secret] }),
      "X-Service-Event": "submission.created",
      "X-Service-Attempt": "3",
    };
    const { post } = await client();
    const attempt = await post(`http://127.0.0.1:${receiver.port}/hook?a=b%20c`, { headers, body });
    expect(attempt).toEqual({
      ok: true,
      code: "SUCCESS",
      http_status: 200,
      message: "",
      duration_ms: expect.any(Number),
    });
    expect(received).toHaveLength(1);
    const [request] = received;
    expect([request!.method, request!.url]).toEqual(["POST", "/hook?a=b%20c"]);
    expect(request!.headers).toMatchObject({
      host: `127.0.0.1:${receiver.port}`,
      "content-type": "application/json",
      "user-agent": "FormBackend-Webhooks/1",
      "accept-encoding": "identity",
      "content-length": String(Buffer.byteLength(body)),
      "x-service-event": "submission.created",
      "x-service-attempt": "3",
    });
    expect(request!.headers["transfer-encoding"]).toBeUndefined();
    expect(verifyWebhook(request!.body, request!.headers, secret)).toEqual(JSON.parse(body));
  });

  test("takes the host's user agent, and no caller can ask for compression or lie about the length", async () => {
    const seen: IncomingHttpHeaders[] = [];
    const receiver = await kept(
      httpReceiver((request, response) => {
        seen.push(request.headers);
        request.resume().on("end", () => response.end());
      }),
    );
    const { post } = await client({ userAgent: "Acme-Hooks/2" });
    await post(`http://127.0.0.1:${receiver.port}/`, {
      headers: { "accept-encoding": "gzip", "content-length": "1" },
      body: "{}",
    });
    expect(seen).toEqual([
      expect.objectContaining({ "user-agent": "Acme-Hooks/2", "accept-encoding": "identity", "content-length": "2" }),
    ]);
  });

  test("a header that can't be sent ends as an internal error instead of a rejection", async () => {
    const { post } = await client();
    const attempt = await post(`http://127.0.0.1:${await closedPort()}/`, {
      headers: { "X-Bad": "a\r\nb" },
      body: "{}",
    });
    expect(attempt).toMatchObject({ ok: false, code: "ERROR_WEBHOOK_INTERNAL", node_error_code: "ERR_INVALID_CHAR" });
  });
});

describe("the answer", () => {
  const answerTo = async (head: string) => {
    const { port } = await answering(head);
    const { duration_ms, ...outcome } = await (await client()).post(`http://127.0.0.1:${port}/`, { body: "{}" });
    expect(duration_ms).toBeGreaterThanOrEqual(0);
    return outcome;
  };
  const asked = async (head: string, options: Parameters<typeof client>[0] = {}) => {
    const { port } = await answering(head);
    return (await client(options)).post(`http://127.0.0.1:${port}/`, { body: "{}", readsSuccess: true });
  };
  const length = (body: string) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

  test.each([
    ["200 OK", "SUCCESS"],
    ["201 Created", "SUCCESS"],
    ["202 Accepted", "SUCCESS"],
    ["204 No Content", "SUCCESS"],
    ["299 Whatever", "SUCCESS"],
    ["300 Multiple Choices", "ERROR_WEBHOOK_HTTP_3XX"],
    ["304 Not Modified", "ERROR_WEBHOOK_HTTP_3XX"],
    ["400 Bad Request", "ERROR_WEBHOOK_HTTP_4XX"],
    ["404 Not Found", "ERROR_WEBHOOK_HTTP_4XX"],
    ["499 Odd", "ERROR_WEBHOOK_HTTP_4XX"],
    ["500 Internal Server Error", "ERROR_WEBHOOK_HTTP_5XX"],
    ["599 Odd", "ERROR_WEBHOOK_HTTP_5XX"],
    ["600 Odd", "ERROR_WEBHOOK_PROTOCOL"],
    ["999 Odd", "ERROR_WEBHOOK_PROTOCOL"],
    ["099 Odd", "ERROR_WEBHOOK_PROTOCOL"],
    ["101 Switching Protocols", "ERROR_WEBHOOK_PROTOCOL"],
  ])("%s is %s", async (line, code) => {
    const ok = code === "SUCCESS";
    const status = Number(line.slice(0, 3));
    const message = ok ? "" : `HTTP ${status} ${line.slice(4)}`;
    expect(await answerTo(`${line}\r\nContent-Length: 0\r\n\r\n`)).toEqual({ ok, code, http_status: status, message });
  });

  test("1xx lines before the answer are passed over", async () => {
    expect(
      await answerTo(`100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 ${OK}`),
    ).toMatchObject({ http_status: 200 });
  });

  test("an answer's text is passed on, that of a 2xx where it was asked for", async () => {
    const said = `410 Gone\r\n${length("no more")}`;
    expect(await answerTo(said)).toMatchObject({ code: "ERROR_WEBHOOK_HTTP_4XX", body: "no more" });
    expect(await answerTo(`200 OK\r\n${length("fine")}`)).not.toHaveProperty("body");
    expect(await asked(`200 OK\r\n${length("fine")}`)).toMatchObject({ ok: true, body: "fine" });
  });

  test("a 2xx whose body was asked for stays one, however long, slow or cut the body is", async () => {
    const long = await asked(`200 OK\r\nContent-Length: 1000000\r\n\r\n${"z".repeat(100_000)}`);
    expect(long).toMatchObject({ ok: true, http_status: 200, body: "z".repeat(16_384) });
    const slow = await asked("200 OK\r\nContent-Length: 100\r\n\r\nbeginning", { timeoutMs: 300 });
    expect(slow).toMatchObject({ ok: true, http_status: 200, body: "beginning" });
    const packed = await asked("200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx");
    expect(packed).toMatchObject({ ok: true });
    expect(packed).not.toHaveProperty("body");
  });

  test("Retry-After counts on 429 and 503 only", async () => {
    for (const [line, retry_after] of [
      ["429 Too Many Requests", "17"],
      ["503 Service Unavailable", "17"],
      ["500 Oops", undefined],
      ["200 OK", undefined],
    ] as const) {
      expect((await answerTo(`${line}\r\nRetry-After: 17\r\n${length("")}`)).retry_after).toBe(retry_after);
    }
  });

  test("the message is the status line and the start of the body", async () => {
    const { message } = await answerTo(`503 Service Unavailable\r\n${length("down for maintenance 😀")}`);
    expect(message).toBe("HTTP 503 Service Unavailable: down for maintenance 😀");
  });

  test("a missing reason is filled in", async () => {
    expect((await answerTo(`503\r\n${length("x")}`)).message).toBe("HTTP 503 Service Unavailable: x");
    expect((await answerTo(`498 \r\n${length("x")}`)).message).toBe("HTTP 498: x");
  });

  test("control characters become spaces, in the reason too", async () => {
    const { message } = await answerTo(`500 Bad\tThing\r\n${length("a\0b\r\n\x1b[31mc\u2028d\u0085e\x7f")}`);
    expect(message).toBe("HTTP 500 Bad Thing: a b [31mc d e");
  });

  test("bytes that are no UTF-8 become replacement characters", async () => {
    const { port } = await kept(
      tcpReceiver((socket) => {
        socket.on("data", () =>
          socket.write(
            Buffer.concat([
              Buffer.from("HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\n"),
              Buffer.from([0x61, 0xff, 0x62]),
            ]),
          ),
        );
      }),
    );
    expect((await (await client()).post(`http://127.0.0.1:${port}/`, { body: "{}" })).message).toBe(
      "HTTP 500 No: a\ufffdb",
    );
  });

  test.each([0, 1])("a long body is cut to 1,024 characters and no pair is split (offset %i)", async (offset) => {
    const { message } = await answerTo(`500 No\r\n${length("x".repeat(offset) + "😀".repeat(2_000))}`);
    expect(message.length).toBeGreaterThanOrEqual(1_023);
    expect(message.length).toBeLessThanOrEqual(1_024);
    expect(message.isWellFormed()).toBe(true);
    expect(message.endsWith("😀")).toBe(true);
  });

  test("a compressed body is neither unpacked nor quoted", async () => {
    expect((await answerTo(`500 No\r\nContent-Encoding: gzip\r\n${length("\x1f\x8b\x08")}`)).message).toBe(
      "HTTP 500 No",
    );
  });
});
