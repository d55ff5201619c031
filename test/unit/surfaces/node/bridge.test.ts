import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { FormBackend, HostInfo } from "../../../../src/index.ts";
import { nodeHandler } from "../../../../src/surfaces/node/bridge.ts";
import { listening } from "../../../_support/hosts.ts";

/** A server whose backend answers as told, and the promises of the bridge's runs. */
async function bridged(
  handle: (request: Request, info: HostInfo) => Promise<Response>,
  before: (req: IncomingMessage, res: ServerResponse) => void = () => {},
) {
  const runs: Promise<void>[] = [];
  const serve = nodeHandler({ handle } as FormBackend);
  const { url, close } = await listening((req, res) => {
    before(req, res);
    runs.push(serve(req, res));
  });
  onTestFinished(close);
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  onTestFinished(() => void client.destroy());
  await once(client, "connect");
  return { url, runs, client };
}

describe("the bridge from Node", () => {
  it("keeps every Set-Cookie of the host and of the answer", async () => {
    const answer = new Response("x", {
      headers: [
        ["set-cookie", "c=3"],
        ["set-cookie", "d=4"],
        ["x-powered-by", "ours"],
      ],
    });
    const { url } = await bridged(
      async () => answer,
      (_req, res) => res.setHeader("x-powered-by", "host").setHeader("set-cookie", ["a=1", "b=2"]),
    );
    const { headers } = await fetch(url);
    expect(headers.getSetCookie()).toEqual(["a=1", "b=2", "c=3", "d=4"]);
    expect(headers.get("x-powered-by")).toBe("ours");
  });

  it("gives the socket's address, the full path, and a signal", async () => {
    let seen: unknown[] = [];
    const { url } = await bridged(
      async (request, info) => {
        seen = [new URL(request.url).pathname, info.ip, request.signal.aborted, request.headers.get("x-a")];
        return new Response();
      },
      (req) => {
        Object.assign(req, { originalUrl: req.url, ip: "203.0.113.1" });
        req.url = "/stripped";
      },
    );
    await fetch(`${url}/forms/f/x?y`, { headers: { "x-a": "1" } });
    expect(seen).toEqual(["/forms/f/x", "127.0.0.1", false, "1"]);
  });

  it.each([null, "too late"])(
    "aborts the signal and ends when the client goes away before the answer (%j)",
    async (body) => {
      let aborted: Promise<unknown> = Promise.resolve();
      const { client, runs } = await bridged(async ({ signal }) => {
        aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
        client.destroy();
        await aborted;
        return new Response(body);
      });
      client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
      await expect.poll(() => runs.length).toBe(1);
      await Promise.all(runs);
      await aborted;
    },
  );

  it.each([null, "cut off"])("ends when the connection breaks while the answer is being sent (%j)", async (body) => {
    const { client, runs } = await bridged(
      async () => new Response(body),
      (req, res) => {
        const writeHead = res.writeHead.bind(res);
        res.writeHead = (status: number) => {
          req.socket.destroy();
          return writeHead(status);
        };
      },
    );
    client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    await expect.poll(() => runs.length).toBe(1);
    await Promise.all(runs);
  });

  it("waits for a slow reader, and stops the source when the reader goes away", async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
      cancel() {
        cancelled = true;
      },
    });
    const { client, runs } = await bridged(async () => new Response(endless));
    client.pause();
    client.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    // The kernel's buffers fill up first; then nothing more is pulled.
    let before = -1;
    await expect
      .poll(
        () => {
          const still = pulled > 0 && pulled === before;
          before = pulled;
          return still;
        },
        { interval: 200, timeout: 10_000 },
      )
      .toBe(true);
    expect(pulled).toBeLessThan(1000);
    client.destroy();
    await Promise.all(runs);
    await expect.poll(() => cancelled).toBe(true);
  });

  it("breaks the connection off when the answer's source fails in the middle", async () => {
    let n = 0;
    const failing = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await turn();
        if (n++ === 3) controller.error(new Error("disk gone"));
        else controller.enqueue(new Uint8Array(1000));
      },
    });
    const { url, runs } = await bridged(async () => new Response(failing));
    await expect(fetch(url).then((response) => response.arrayBuffer())).rejects.toThrow();
    await Promise.all(runs);
  });

  it("answers every status that has no body", async () => {
    for (const status of [204, 303, 304]) {
      const { url } = await bridged(async () => new Response(null, { status, headers: { location: "/" } }));
      const response = await fetch(url, { redirect: "manual" });
      expect([response.status, await response.text()]).toEqual([status, ""]);
    }
  });
});
