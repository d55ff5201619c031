import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Attempt, WebhookClientOptions } from "../../../../src/features/webhooks/request.ts";
import { afterRequest, flood, httpReceiver, tcpReceiver } from "../../../_support/receivers.ts";
import { client, kept } from "../../../_support/webhook-client.ts";

const TIMEOUT_MS = 300;
/** What a busy machine may take to notice that the deadline has passed; 15.5 s of 15 s in proportion would be too tight for it. */
const NOTICE_MS = 1_000;

/** Posts once and checks what holds whatever the peer does: it ends by the deadline, with a message that fits its column. */
async function post(url: string, options: Partial<WebhookClientOptions> = {}): Promise<Omit<Attempt, "duration_ms">> {
  const { duration_ms, ...outcome } = await (await client({ timeoutMs: TIMEOUT_MS, ...options })).post(url, {
    body: '{"a":1}',
  });
  expect(duration_ms).toBeLessThan((options.timeoutMs ?? TIMEOUT_MS) + NOTICE_MS);
  expect(outcome.message.length).toBeLessThanOrEqual(1_024);
  expect(outcome.message).not.toMatch(/\p{Cc}/u);
  expect("http_status" in outcome).not.toBe("node_error_code" in outcome);
  return outcome;
}

const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once("close", () => resolve()));

/** Writes a piece at a time for as long as the other side listens. */
function drip(socket: Socket, piece: string | (() => string), everyMs: number): void {
  const timer = setInterval(() => socket.write(typeof piece === "string" ? piece : piece()), everyMs);
  socket.on("close", () => clearInterval(timer));
}
/** Writes the start of an answer and, where there is a second piece, that one every 20 ms from then on. */
const say = (start: string, then?: string) => (socket: Socket) => {
  socket.write(start);
  if (then !== undefined) drip(socket, then, 20);
};
/** A reset overtakes what the peer has not read yet, so it waits until that has surely been. */
const sayThenReset = (start: string) => (socket: Socket) => {
  socket.write(start);
  setTimeout(() => socket.resetAndDestroy(), 50);
};
/** Posts to a receiver that floods: the outcome, and the bytes that were taken until the connection ended. */
async function flooded(start: string, piece: string, options: Partial<WebhookClientOptions> = {}) {
  let sent = () => 0;
  let ended: Promise<unknown> | undefined;
  const { port } = await kept(
    tcpReceiver((socket) => {
      ended = closed(socket);
      afterRequest(socket, () => {
        socket.write(start);
        ({ sent } = flood(socket, piece));
      });
    }),
  );
  const answer = await post(`http://127.0.0.1:${port}/`, options);
  await ended;
  return { answer, sent: sent() };
}
/** The most that the kernel's buffers take in one go; at the speed of loopback an open connection would move hundreds of MB. */
const MOST_SENT = 16 * 1024 * 1024;

const timedOut = {
  ok: false,
  code: "ERROR_WEBHOOK_TIMEOUT",
  node_error_code: "ETIMEDOUT",
  message: "No answer from 127.0.0.1 within 0.3 s (ETIMEDOUT).",
};
const success = { ok: true, code: "SUCCESS", http_status: 200, message: "" };
const cut = {
  ok: false,
  code: "ERROR_WEBHOOK_CONNECTION",
  node_error_code: "ECONNRESET",
  message: "The connection to 127.0.0.1 failed (ECONNRESET).",
};
const protocol = (code: string) => ({
  ok: false,
  code: "ERROR_WEBHOOK_PROTOCOL",
  node_error_code: code,
  message: expect.stringContaining(code),
});

describe("hostile receivers (F8)", () => {
  test.each<[string, (socket: Socket) => void, object]>([
    ["never answers", () => {}, timedOut],
    ["slow headers", say("HTTP/1.1 200 OK\r\n", "X-Slow: 1\r\n"), timedOut],
    [
      "a status line one byte at a time",
      (socket) => {
        const bytes = [..."HTTP/1.1 200 OK and so on and on".repeat(9)];
        drip(socket, () => bytes.shift() ?? "x", 20);
      },
      timedOut,
    ],
    ["endless 1xx", (socket) => drip(socket, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 5), timedOut],
    ["endless 100 Continue", (socket) => drip(socket, "HTTP/1.1 100 Continue\r\n\r\n", 5), timedOut],
    ["slow body after 200", say("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", "x"), success],
    [
      "slow body after 500",
      say("HTTP/1.1 500 No\r\nContent-Length: 9999\r\n\r\nstart", "x"),
      {
        ok: false,
        code: "ERROR_WEBHOOK_HTTP_5XX",
        http_status: 500,
        message: expect.stringMatching(/^HTTP 500 No: startx+$/),
      },
    ],
    [
      "body that never comes after 404",
      say("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n"),
      { ok: false, code: "ERROR_WEBHOOK_HTTP_4XX", http_status: 404, message: "HTTP 404 Not Found" },
    ],
    [
      "40 KB of headers",
      say(`HTTP/1.1 200 OK\r\n${`X-Flood: ${"x".repeat(1_000)}\r\n`.repeat(40)}\r\n`),
      protocol("HPE_HEADER_OVERFLOW"),
    ],
    [
      "one header of 40 KB",
      say(`HTTP/1.1 200 OK\r\nX-Flood: ${"x".repeat(40_000)}\r\n\r\n`),
      protocol("HPE_HEADER_OVERFLOW"),
    ],
    ["garbage", say("\x00\x01\x02 not http\r\n\r\n"), protocol("HPE_INVALID_CONSTANT")],
    ["an SMTP greeting", say("220 mail.example ESMTP\r\n"), protocol("HPE_INVALID_CONSTANT")],
    [
      "two lengths",
      say("HTTP/1.1 500 No\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
      protocol("HPE_UNEXPECTED_CONTENT_LENGTH"),
    ],
    [
      "101 nobody asked for",
      say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
      { ok: false, code: "ERROR_WEBHOOK_PROTOCOL", http_status: 101, message: "HTTP 101 Switching Protocols" },
    ],
    [
      "101 without an upgrade",
      say("HTTP/1.1 101 Switching Protocols\r\n\r\n"),
      { ok: false, code: "ERROR_WEBHOOK_PROTOCOL", http_status: 101, message: "HTTP 101 Switching Protocols" },
    ],
    ["reset before an answer", (socket) => socket.resetAndDestroy(), cut],
    ["end before an answer", (socket) => socket.end(), cut],
    ["reset within the headers", sayThenReset("HTTP/1.1 200 OK\r\nX-A"), { ...cut, message: expect.any(String) }],
    [
      "end within the headers",
      (socket) => socket.end("HTTP/1.1 200 OK\r\nX-A"),
      { ok: false, code: expect.stringMatching(/CONNECTION|PROTOCOL/) },
    ],
    ["reset within the body of 200", sayThenReset("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf"), success],
    [
      "reset within the body of 500",
      sayThenReset("HTTP/1.1 500 No\r\nContent-Length: 99\r\n\r\nhalf"),
      { ok: false, code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500, message: "HTTP 500 No: half" },
    ],
    ["a broken chunk after 200", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n"), success],
    [
      "a broken chunk after 500",
      say("HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\nzzz\r\n"),
      { ok: false, code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500, message: expect.stringMatching(/^HTTP 500 No/) },
    ],
    [
      "a second answer behind the first",
      say("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
      { ok: false, code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500, message: "HTTP 500 No" },
    ],
  ])("%s", async (_name, answer, expected) => {
    const { port } = await kept(tcpReceiver((socket) => afterRequest(socket, () => answer(socket))));
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual(expect.objectContaining(expected));
  });

  test.each([
    ["200 OK", success],
    [
      "500 No",
      { ok: false, code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500, message: `HTTP 500 No: ${"z".repeat(1_011)}` },
    ],
  ])("an endless body after %s is cut off after a few KB", async (line, expected) => {
    const { answer, sent } = await flooded(`HTTP/1.1 ${line}\r\n\r\n`, "z");
    expect(answer).toMatchObject(expected);
    expect(sent).toBeLessThan(MOST_SENT);
  });

  const CHUNKED = "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n";
  const refused = expect.objectContaining({ code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500 });
  test.each<[string, string, string, object]>([
    ["interim answers", "", "HTTP/1.1 102 Processing\r\n\r\n", protocol("HPE_HEADER_OVERFLOW")],
    ["blank lines", "", "\r\n", protocol("HPE_HEADER_OVERFLOW")],
    ["zeros in the size of a chunk", CHUNKED, "0", refused],
    ["extensions of chunks", CHUNKED, `1;${"x".repeat(16_000)}\r\nz\r\n`, refused],
  ])(
    "a flood of %s is cut off, and keeps no event loop busy until the deadline",
    async (_name, start, piece, expected) => {
      const { answer, sent } = await flooded(start, piece, { timeoutMs: 60_000 });
      expect(answer).toEqual(expected);
      expect(sent).toBeLessThan(MOST_SENT);
    },
  );

  test("a 2xx status line is the end of the attempt, however long the body takes", async () => {
    const { port } = await kept(
      tcpReceiver((socket) => afterRequest(socket, () => say("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")(socket))),
    );
    const patient = await client({ timeoutMs: 60_000 });
    const { duration_ms, ...outcome } = await patient.post(`http://127.0.0.1:${port}/`, { body: "{}" });
    expect(outcome).toEqual(success);
    expect(duration_ms).toBeLessThan(60_000);
  });

  test.each([["200 OK"], ["500 No"]])("a slow body after %s is cut off at the deadline", async (line) => {
    let ended: Promise<unknown> | undefined;
    const { port } = await kept(
      tcpReceiver((socket) => {
        ended = closed(socket);
        afterRequest(socket, () => {
          socket.write(`HTTP/1.1 ${line}\r\nContent-Length: 9999\r\n\r\n`);
          drip(socket, "x", 20);
        });
      }),
    );
    await post(`http://127.0.0.1:${port}/`);
    await ended;
  });

  test.each([
    [200, success],
    [500, { ok: false, code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500, message: "HTTP 500 Internal Server Error" }],
  ])("a gzip bomb after %i is not unpacked", async (status, expected) => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024));
    const { port } = await kept(
      httpReceiver((request, response) => {
        request.resume();
        response.writeHead(status, { "Content-Encoding": "gzip", "Content-Length": bomb.length }).end(bomb);
      }),
    );
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual(expected);
  });

  test.each([301, 302, 303, 307, 308])(
    "%i is not followed: not to a canary, not to the metadata service, not in a loop",
    async (status) => {
      const canary = await kept(httpReceiver((_request, response) => response.end()));
      let requests = 0;
      const looping = await kept(
        httpReceiver((request, response) => {
          requests += 1;
          request.resume();
          const [, target] = request.url!.split("?to=");
          response.writeHead(status, { Location: decodeURIComponent(target!), "Content-Length": 0 }).end();
        }),
      );
      const self = `http://127.0.0.1:${looping.port}/`;
      for (const target of [`http://127.0.0.1:${canary.port}/`, "http://169.254.169.254/latest/meta-data/", "/?to=/"]) {
        expect(await post(`${self}?to=${encodeURIComponent(target)}`)).toMatchObject({
          code: "ERROR_WEBHOOK_HTTP_3XX",
          http_status: status,
        });
      }
      expect([requests, canary.seen.connections]).toEqual([3, 0]);
    },
  );

  test("a name server that is silent ends at the deadline too", async () => {
    const never = () => new Promise<string[]>(() => {});
    const outcome = await post("http://silent.example/", { resolver: { resolve4: never, resolve6: never } });
    expect(outcome).toMatchObject({ code: "ERROR_WEBHOOK_TIMEOUT", node_error_code: "ETIMEDOUT" });
  });

  test("1,000 hostile answers leave no memory behind", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const answers: ((socket: Socket) => void)[] = [
      (socket) => socket.write("garbage"),
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nX-Flood: ${"x".repeat(40_000)}\r\n\r\n`),
      (socket) => socket.write(`HTTP/1.1 500 No\r\n\r\n${"z".repeat(100_000)}`),
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${"z".repeat(100_000)}`),
      (socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
      (socket) => socket.resetAndDestroy(),
    ];
    const { port } = await kept(
      tcpReceiver((socket, connection) => afterRequest(socket, () => answers[connection % answers.length]!(socket))),
    );
    const one = await client({ timeoutMs: 10_000 });
    const rounds = async (count: number) => {
      for (let i = 0; i < count; i += 8)
        await Promise.all(Array.from({ length: 8 }, () => one.post(`http://127.0.0.1:${port}/`, { body: "{}" })));
      // What a dead socket or parser held outside the heap is given back in a turn of its own, after the collection that found it dead.
      for (let turn = 0; turn < 3; turn++) {
        collect();
        await setImmediate();
      }
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const before = await rounds(200);
    expect((await rounds(1_000)) - before).toBeLessThan(5 * 1024 * 1024);
  });
});
