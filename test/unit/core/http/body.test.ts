import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { NodeRequest } from "srvx/node";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { bodyStream, readBody } from "../../../../src/core/http/body.ts";
import { discardRest } from "../../../../src/core/http/unread-body.ts";
import { listening } from "../../../_support/hosts.ts";

afterEach(() => void vi.useRealTimers());

const post = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}): Request =>
  new Request("http://localhost/", { method: "POST", body, headers, duplex: "half" });

async function all(chunks: AsyncIterable<Uint8Array> | null): Promise<string> {
  let text = "";
  for await (const chunk of chunks ?? []) text += Buffer.from(chunk).toString();
  return text;
}

/** Both ways to read a body, as one that answers its text. */
const readers: [string, (request: Request) => Promise<string>][] = [
  ["readBody", async (request) => (await readBody(request, 100)).toString()],
  ["bodyStream", async (request) => all(bodyStream(request))],
];

/** A server whose handler reads the body of a request, and a raw connection to it. */
async function reading(read: (request: Request, req: IncomingMessage, res: ServerResponse) => Promise<unknown>) {
  const answers: Promise<unknown>[] = [];
  const { url, close, server } = await listening((req, res) => {
    const answer = read(new NodeRequest({ req, res }) as Request, req, res).then(
      String,
      (error: { code: string }) => error.code,
    );
    answers.push(answer);
  });
  const client: Socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
  client.on("error", () => {});
  onTestFinished(close);
  onTestFinished(() => void client.destroy());
  await once(client, "connect");
  const first = async (): Promise<unknown> => {
    await vi.waitUntil(() => answers.length > 0, { timeout: 5_000 });
    return answers[0];
  };
  return { client, first, server };
}
const HEAD = "POST / HTTP/1.1\r\nhost: a\r\n";

describe.each(readers)("%s", (_name, read) => {
  it("gives the bytes, and none where there is no body", async () => {
    expect(await read(post("grüß"))).toBe("grüß");
    expect(await read(new Request("http://localhost/", { method: "POST" }))).toBe("");
  });

  it("refuses a body that somebody has read", async () => {
    const request = post("a");
    await request.text();
    await expect(read(request)).rejects.toMatchObject({ code: "body_consumed", status: 500 });
  });

  it("refuses a body whose source fails, and one that is compressed", async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("gone")) });
    await expect(read(post(broken))).rejects.toMatchObject({ code: "invalid_parameter" });
    const zipped = read(post("a", { "content-encoding": "gzip" }));
    await expect(zipped).rejects.toMatchObject({
      code: "unsupported_media_type",
      headers: { "accept-encoding": "identity" },
    });
  });

  it("refuses a body that has not come after 30 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const refused = expect(read(post(new ReadableStream<Uint8Array>()))).rejects.toMatchObject({
      code: "request_timeout",
      status: 408,
    });
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(30_000);
    await refused;
    expect(vi.getTimerCount()).toBe(0);
  });

  it("refuses a sender that drips into Node's own stream, too", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let reached = (): void => {};
    const started = new Promise<void>((resolve) => (reached = resolve));
    const { client, first } = await reading((request) => {
      const text = read(request);
      reached();
      return text;
    });
    client.write(`${HEAD}content-length: 9\r\n\r\nab`);
    await started;
    const answer = first();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await answer).toBe("request_timeout");
  });

  it("ends when the sender goes away", async () => {
    const { client, first } = await reading((request) => read(request));
    client.write(`${HEAD}content-length: 9\r\n\r\nab`, () => client.destroy());
    expect(await first()).toBe("invalid_parameter");
  });

  it("reads a stream that a host has paused", async () => {
    const { client, first } = await reading(async (request, req) => {
      req.pause();
      await new Promise((resolve) => setTimeout(resolve, 20));
      return read(request);
    });
    client.write(`${HEAD}content-length: 2\r\n\r\nab`);
    expect(await first()).toBe("ab");
  });

  it("says so when Node's stream was read behind the request's back", async () => {
    const { client, first } = await reading(async (request, req) => {
      for await (const _ of req);
      return read(request);
    });
    client.write(`${HEAD}content-length: 2\r\n\r\nab`);
    expect(await first()).toBe("body_consumed");
  });

  it("reads on where somebody cloned the request", async () => {
    const { client, first } = await reading(async (request) => {
      const clone = request.clone();
      return `${await clone.text()} ${await read(request)}`;
    });
    client.write(`${HEAD}content-length: 2\r\n\r\nab`);
    expect(await first()).toBe("ab ab");
  });
});

it("does not wake a web stream over Node's own, which would stop it for want of a reader", async () => {
  const body = "x".repeat(1024 * 1024);
  const { url, close } = await listening(async (req, res) => {
    // What srvx 0.8, in Nitro 3.0, hands out: its web request comes into being with the first question about the body.
    const request = {
      headers: new Headers({ "content-length": String(body.length) }),
      runtime: { node: { req, res } },
      get bodyUsed() {
        Readable.toWeb(req);
        return false;
      },
    };
    res.end(String((await readBody(request as unknown as Request, body.length)).length));
  });
  onTestFinished(close);
  expect(await (await fetch(url, { method: "POST", body })).text()).toBe(String(body.length));
});

it("an upload does not pay for a time in which its reader's process stood still", async () => {
  const { client, first } = await reading(async (request) => {
    let text = "";
    for await (const chunk of bodyStream(request, { bytes: 10, ms: 50 }) ?? []) {
      text += Buffer.from(chunk).toString();
      if (text !== "a") continue;
      // The next chunk arrives in time, while nobody looks.
      setImmediate(() => {
        client.write("b".repeat(10));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
      });
    }
    return text;
  });
  client.write(`${HEAD}content-length: 11\r\n\r\na`);
  expect(await first()).toBe(`a${"b".repeat(10)}`);
});

describe("limits", () => {
  it("count the bytes, whatever Content-Length says", async () => {
    const refused = { code: "payload_too_large", status: 413 };
    await expect(readBody(post("x".repeat(101), { "content-length": "5" }), 100)).rejects.toMatchObject(refused);
    await expect(readBody(post("x", { "content-length": "101" }), 100)).rejects.toMatchObject(refused);
    expect(await readBody(post("x".repeat(100)), 100)).toHaveLength(100);
  });

  it("hold for bytes that a host kept", async () => {
    const kept = (rawBody: unknown): Request => Object.assign(post("x"), { runtime: { node: { req: { rawBody } } } });
    await expect(readBody(kept("x".repeat(101)), 100)).rejects.toMatchObject({ code: "payload_too_large" });
    expect((await readBody(kept(new Uint8Array([97, 98])), 100)).toString()).toBe("ab");
    expect(await all(bodyStream(kept("grüß")))).toBe("grüß");
  });
});

describe("what an answer leaves unread", () => {
  const refuse = async (request: Request, res: ServerResponse): Promise<string> => {
    const outcome = await readBody(request, 10).catch((error: { code: string }) => error.code);
    discardRest(request);
    res.end("done");
    return String(outcome);
  };

  it("is read on for 30 s and no longer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { client } = await reading((request, _req, res) => refuse(request, res));
    client.write(`${HEAD}transfer-encoding: chunked\r\nconnection: close\r\n\r\n14\r\n${"x".repeat(20)}\r\n`);
    const [answer] = await once(client, "data");
    expect(String(answer)).toContain("done");
    // Said goodbye, and still reading.
    await once(client.resume(), "end");
    client.write(`14\r\n${"x".repeat(20)}\r\n`);
    expect(client.destroyed).toBe(false);
    let closed = false;
    client.on("close", () => {
      closed = true;
    });
    await vi.advanceTimersByTimeAsync(30_000);
    // A byte that arrives before the server has let go gets no answer: only a later one is refused.
    while (!closed) {
      if (client.writable) client.write("x");
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(client.destroyed).toBe(true);
  });

  it("of a web stream is read on too, and no longer than 30 s", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const chunks = [20, 20, 20];
    let cancelled = false;
    const body = new ReadableStream<Uint8Array>(
      {
        // After the last chunk the sender stalls.
        pull: (controller) => {
          const size = chunks.shift();
          if (size === undefined) return new Promise(() => {});
          controller.enqueue(new Uint8Array(size));
        },
        cancel() {
          cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const request = post(body);
    await expect(readBody(request, 10)).rejects.toMatchObject({ code: "payload_too_large" });
    expect([chunks.length, cancelled]).toEqual([2, false]);
    discardRest(request);
    await vi.advanceTimersByTimeAsync(29_999);
    expect([chunks.length, cancelled]).toEqual([0, false]);
    await vi.advanceTimersByTimeAsync(1);
    expect(cancelled).toBe(true);
  });

  it("does not outlive a client that stops sending", async () => {
    const { client, server } = await reading((request, _req, res) => refuse(request, res));
    client.write(`${HEAD}content-length: 1000000\r\nconnection: close\r\n\r\n${"x".repeat(20)}`);
    await once(client, "data");
    const connections = (): Promise<number> =>
      new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
    expect(await connections()).toBe(1);
    client.destroy();
    await expect.poll(connections).toBe(0);
  });
});
