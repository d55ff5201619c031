import { once } from "node:events";
import type { Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { closedPort, tcpReceiver } from "../../../_support/receivers.ts";
import { answering, client, kept, OK } from "../../../_support/webhook-client.ts";

describe("connections", () => {
  test("are kept and reused", async () => {
    const receiver = await answering(OK);
    const { post } = await client();
    for (let i = 0; i < 5; i++) {
      expect((await post(`http://127.0.0.1:${receiver.port}/`, { body: "{}" })).ok).toBe(true);
      await turn();
    }
    expect(receiver.seen.connections).toBe(1);
  });

  test("are closed after 4 s without use", async () => {
    let ended: Promise<unknown> | undefined;
    const receiver = await kept(
      tcpReceiver((socket) => {
        ended = once(socket, "end");
        socket.on("data", () => socket.write(`HTTP/1.1 ${OK}`));
      }),
    );
    await (await client()).post(`http://127.0.0.1:${receiver.port}/`, { body: "{}" });
    await ended;
    expect(receiver.seen.connections).toBe(1);
  });

  test("are as many to one host as a lane may run at once, so that no attempt waits unseen", async () => {
    const waiting: (() => void)[] = [];
    const receiver = await kept(
      tcpReceiver((socket) => {
        socket.on("data", () => {
          waiting.push(() => socket.write(`HTTP/1.1 ${OK}`));
          // All are held until they are there together, so that one more would show.
          if (waiting.length === 64)
            setTimeout(
              () =>
                waiting.splice(0).forEach((answer) => {
                  answer();
                }),
              20,
            );
        });
      }),
    );
    const { post } = await client();
    const attempts = await Promise.all(
      Array.from({ length: 128 }, () => post(`http://127.0.0.1:${receiver.port}/`, { body: "{}" })),
    );
    expect(attempts.filter(({ ok }) => ok)).toHaveLength(128);
    expect(receiver.seen.atOnce).toBe(64);
  });

  test("are given up where the receiver says that it keeps them no longer, and are kept where it says 10 s", async () => {
    for (const [seconds, connections] of [
      [1, 2],
      [10, 1],
    ]) {
      const receiver = await answering(`200 OK\r\nKeep-Alive: timeout=${seconds}, max=9\r\nContent-Length: 0\r\n\r\n`);
      const { post } = await client();
      for (let i = 0; i < 2; i++) {
        expect((await post(`http://127.0.0.1:${receiver.port}/`, { body: "{}" })).ok).toBe(true);
        await turn();
      }
      expect(receiver.seen.connections).toBe(connections);
    }
  });

  test("on which something arrives while they are idle are closed: it is no answer to the next request", async () => {
    let sockets: Promise<unknown>[] = [];
    const receiver = await kept(
      tcpReceiver((socket) => {
        sockets = [...sockets, once(socket, "close")];
        socket.on("data", () => {
          socket.write(`HTTP/1.1 ${OK}`);
          setTimeout(() => socket.write("HTTP/1.1 418 Unasked\r\nContent-Length: 0\r\n\r\n"), 20);
        });
      }),
    );
    const { post } = await client();
    for (let i = 1; i <= 2; i++) {
      expect(await post(`http://127.0.0.1:${receiver.port}/`, { body: "{}" })).toMatchObject({ http_status: 200 });
      // One that began to be idle at the same time is still open then: it is not their age that closes them.
      let isQuietOpen = true;
      const quiet = await kept(
        tcpReceiver((socket) => {
          socket.on("close", () => {
            isQuietOpen = false;
          });
          socket.on("data", () => socket.write(`HTTP/1.1 ${OK}`));
        }),
      );
      await post(`http://127.0.0.1:${quiet.port}/`, { body: "{}" });
      await sockets.at(-1);
      expect(receiver.seen.connections).toBe(i);
      expect(isQuietOpen).toBe(true);
    }
  });

  test("closed by the receiver while they are idle are not used again", async () => {
    let idle: Socket | undefined;
    const receiver = await kept(
      tcpReceiver((socket) => {
        idle = socket;
        socket.on("data", () => socket.write(`HTTP/1.1 ${OK}`));
      }),
    );
    const { post } = await client();
    const url = `http://127.0.0.1:${receiver.port}/`;
    await post(url, { body: "{}" });
    const ended = once(idle!, "close");
    idle!.end();
    await ended;
    expect(await post(url, { body: "{}" })).toMatchObject({ ok: true });
    expect(receiver.seen.connections).toBe(2);
  });

  test("of one host are never used for another port", async () => {
    const receivers = [await answering(OK), await answering(OK)];
    const { post } = await client();
    for (let i = 0; i < 2; i++)
      for (const { port } of receivers) await post(`http://127.0.0.1:${port}/`, { body: "{}" });
    expect(receivers.map(({ seen }) => seen.connections)).toEqual([1, 1]);
  });

  test.each(["answers", "closes"])("go to the next attempt that still waits when the receiver %s", async (way) => {
    const stop = new AbortController();
    const held: Socket[] = [];
    let requests = 0;
    const receiver = await kept(
      tcpReceiver((socket) => {
        socket.on("data", () => {
          if (++requests > 64) return void socket.write(`HTTP/1.1 ${OK}`);
          held.push(socket);
          if (requests < 64) return;
          // 64 are held, the others wait; those in the middle are stopped meanwhile.
          stop.abort();
          for (const one of held) way === "answers" ? one.write(`HTTP/1.1 ${OK}`) : one.destroy();
        });
      }),
    );
    const { post } = await client();
    const url = `http://127.0.0.1:${receiver.port}/`;
    const attempts = await Promise.all(
      Array.from({ length: 84 }, (_, i) => post(url, { body: "{}" }, i >= 64 && i < 74 ? stop.signal : undefined)),
    );
    const codes = (from: number, to: number) => [...new Set(attempts.slice(from, to).map(({ code }) => code))];
    expect(codes(0, 64)).toEqual([way === "answers" ? "SUCCESS" : "ERROR_WEBHOOK_CONNECTION"]);
    expect(codes(64, 74)).toEqual(["ERROR_WEBHOOK_INTERNAL"]);
    expect(codes(74, 84)).toEqual(["SUCCESS"]);
    expect(requests).toBe(74);
  });

  test("a reset of a reused one is retried once, at once, with the same bytes", async () => {
    const bodies: string[] = [];
    const receiver = await kept(
      tcpReceiver((socket, connection) => {
        let requests = 0;
        socket.on("data", (data) => {
          requests += 1;
          if (connection === 1 && requests === 2) return socket.resetAndDestroy();
          bodies.push(data.toString().split("\r\n\r\n")[1]!);
          return socket.write(`HTTP/1.1 ${OK}`);
        });
      }),
    );
    const { post } = await client();
    const url = `http://127.0.0.1:${receiver.port}/`;
    await post(url, { body: '"first"' });
    await turn();
    expect(await post(url, { body: '"second"' })).toMatchObject({ ok: true, code: "SUCCESS" });
    expect([receiver.seen.connections, bodies]).toEqual([2, ['"first"', '"second"']]);
  });

  test("a second reset is the outcome, and a fresh connection's reset is not retried", async () => {
    let requests = 0;
    const receiver = await kept(
      tcpReceiver((socket) => {
        socket.on("data", () => {
          requests += 1;
          if (requests === 1) socket.write(`HTTP/1.1 ${OK}`);
          else socket.resetAndDestroy();
        });
      }),
    );
    const { post } = await client();
    const url = `http://127.0.0.1:${receiver.port}/`;
    await post(url, { body: "{}" });
    await turn();
    const reset = { ok: false, code: "ERROR_WEBHOOK_CONNECTION", node_error_code: "ECONNRESET" };
    expect(await post(url, { body: "{}" })).toMatchObject(reset);
    expect(requests).toBe(3);
    expect(await post(url, { body: "{}" })).toMatchObject(reset);
    expect([requests, receiver.seen.connections]).toEqual([4, 3]);
  });

  test("nothing listening is ECONNREFUSED, and so is a host whose every address refuses", async () => {
    const resolver = { resolve4: async () => ["127.0.0.1", "127.0.0.2"], resolve6: async () => [] };
    const { post } = await client({ resolver });
    const port = await closedPort();
    for (const host of ["127.0.0.1", "refusing.example"]) {
      const attempt = await post(`http://${host}:${port}/`, { body: "{}" });
      expect(attempt).toMatchObject({ ok: false, code: "ERROR_WEBHOOK_CONNECTION", node_error_code: "ECONNREFUSED" });
      expect(attempt).not.toHaveProperty("http_status");
      expect(attempt.message).toBe(`The connection to ${host} failed (ECONNREFUSED).`);
    }
  });
});

describe("stopping", () => {
  const stopped = { ok: false, code: "ERROR_WEBHOOK_INTERNAL", node_error_code: "ABORT_ERR" };

  test("the caller's signal ends an attempt, and 64 attempts on one signal cause no warning", async () => {
    const warnings: unknown[] = [];
    const warn = (warning: unknown) => warnings.push(warning);
    process.on("warning", warn);
    await kept({ close: () => process.off("warning", warn) });
    const stop = new AbortController();
    let arrived = 0;
    const receiver = await kept(
      tcpReceiver(() => {
        if (++arrived === 8) stop.abort();
      }),
    );
    const { post } = await client();
    const attempts = await Promise.all(
      Array.from({ length: 64 }, () => post(`http://127.0.0.1:${receiver.port}/`, { body: "{}" }, stop.signal)),
    );
    expect(attempts.every(({ code }) => code === "ERROR_WEBHOOK_INTERNAL")).toBe(true);
    expect(await post(`http://127.0.0.1:${receiver.port}/`, { body: "{}" }, stop.signal)).toMatchObject(stopped);
    await turn();
    expect(warnings).toEqual([]);
  });

  test("close ends what is under way, closes idle connections and refuses more; twice is fine", async () => {
    let idle: Socket | undefined;
    const quick = await kept(
      tcpReceiver((socket) => {
        idle = socket;
        socket.on("data", () => socket.write(`HTTP/1.1 ${OK}`));
      }),
    );
    const silent = await kept(tcpReceiver((socket) => socket.on("data", () => webhooks.close())));
    const webhooks = await client();
    const url = `http://127.0.0.1:${quick.port}/`;
    expect(await webhooks.post(url, { body: "{}" })).toMatchObject({ ok: true });
    const idleEnded = once(idle!, "close");
    expect(await webhooks.post(`http://127.0.0.1:${silent.port}/`, { body: "{}" })).toMatchObject(stopped);
    await idleEnded;
    expect(await webhooks.post(url, { body: "{}" })).toMatchObject(stopped);
    webhooks.close();
    expect(quick.seen.connections).toBe(1);
  });
});
