import type { IncomingMessage } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { answered, broken } from "../../../../src/features/webhooks/outcome.ts";
import { createWebhookClient } from "../../../../src/features/webhooks/request.ts";
import { addressPolicy } from "../../../../src/lib/net-guard.ts";
import { tcpReceiver } from "../../../_support/receivers.ts";
import { client, kept, OK } from "../../../_support/webhook-client.ts";

afterEach(() => void vi.useRealTimers());

/** A receiver that takes a connection and says nothing, and a promise of the moment when something has come. */
async function silent() {
  let heard = (): void => {};
  const reached = new Promise<void>((resolve) => (heard = resolve));
  const receiver = await kept(tcpReceiver((socket) => socket.once("data", heard)));
  return { port: receiver.port, reached };
}

/** Whether a promise is settled once everything that is ready has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  for (let i = 0; i < 5; i++) await turn();
  return settled;
}

describe("limits that nobody set", () => {
  test.each([
    ["an answer: 15 s", "http", 15_000, "No answer from 127.0.0.1 within 15 s (ETIMEDOUT)."],
    ["TCP and TLS: 5 s", "https", 5_000, "No connection to 127.0.0.1 within 5 s (ETIMEDOUT)."],
  ])("%s", async (_name, scheme, ms, message) => {
    const { port, reached } = await silent();
    const policy = addressPolicy({ allowCidrs: ["127.0.0.0/8"] });
    const { post } = await kept(createWebhookClient({ policy, allowHttp: true }));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const attempt = post(`${scheme}://127.0.0.1:${port}/`, { body: "{}" });
    await reached;
    vi.advanceTimersByTime(ms - 1);
    expect(await isSettled(attempt)).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await attempt).toMatchObject({ code: "ERROR_WEBHOOK_TIMEOUT", node_error_code: "ETIMEDOUT", message });
  });
});

describe("an idle connection that was cut", () => {
  test("is not tried again once an answer has begun", async () => {
    let requests = 0;
    const receiver = await kept(
      tcpReceiver((socket) => {
        socket.on("data", () => {
          if (++requests === 1) return socket.write(`HTTP/1.1 ${OK}`);
          return socket.write("HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\npart", () => socket.resetAndDestroy());
        });
      }),
    );
    const { post } = await client();
    const url = `http://127.0.0.1:${receiver.port}/`;
    await post(url, { body: "{}" });
    await turn();
    expect(await post(url, { body: "{}" })).toMatchObject({ code: "ERROR_WEBHOOK_HTTP_5XX", http_status: 500 });
    expect(requests).toBe(2);
  });

  test("is not tried again on another one that was cut as well", async () => {
    const waiting: (() => void)[] = [];
    let cut = false;
    const receiver = await kept(
      tcpReceiver((socket, connection) => {
        socket.on("data", () => {
          if (cut && connection <= 2) return void socket.resetAndDestroy();
          waiting.push(() => socket.write(`HTTP/1.1 ${OK}`));
          // Both are held until they are there together, so that there are two connections.
          if (cut || waiting.length === 2) for (const answer of waiting.splice(0)) answer();
        });
      }),
    );
    const { post } = await client();
    const url = `http://127.0.0.1:${receiver.port}/`;
    await Promise.all([post(url, { body: "{}" }), post(url, { body: "{}" })]);
    await turn();
    cut = true;
    expect(await post(url, { body: "{}" })).toMatchObject({ ok: true });
    expect(receiver.seen.connections).toBe(3);
  });
});

test("an answer that had come when this process stood still beyond the limit still counts", async () => {
  const timeoutMs = 100;
  const receiver = await kept(
    tcpReceiver((socket) => {
      socket.on("data", () =>
        // As after a suspension: the answer is there, the limit has passed, and the event loop has yet to read its sockets.
        setImmediate(() => {
          socket.write(`HTTP/1.1 ${OK}`);
          vi.advanceTimersByTime(2 * timeoutMs);
        }),
      );
    }),
  );
  const { post } = await client({ timeoutMs });
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  expect(await post(`http://127.0.0.1:${receiver.port}/`, { body: "{}" })).toMatchObject({ ok: true });
});

describe("an outcome", () => {
  test("of an address that the system gave up is a time-out", () => {
    const error = Object.assign(new AggregateError([]), { code: "ETIMEDOUT" });
    expect(broken(error, { host: "a.example", handshaking: false })).toMatchObject({
      code: "ERROR_WEBHOOK_TIMEOUT",
      node_error_code: "ETIMEDOUT",
    });
  });

  test("leaves out a character that was cut in two", () => {
    const response = { statusCode: 500, statusMessage: "Oops", headers: {} } as IncomingMessage;
    expect(answered(response, Buffer.from("caf\u00e9").subarray(0, -1)).message).toBe("HTTP 500 Oops: caf");
  });
});
