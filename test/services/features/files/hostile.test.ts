import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type App, startApp } from "./_process.ts";
import { END, part, send } from "./_send.ts";

const MB = 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, "0123456789abcdef");
const GROWTH = 64;

function* repeat(bytes: Buffer, times: number): Generator<Buffer> {
  for (let i = 0; i < times; i++) yield bytes;
}
function* joined(...pieces: (Buffer | string | Iterable<Buffer>)[]): Generator<Buffer> {
  for (const piece of pieces) {
    if (typeof piece === "string" || Buffer.isBuffer(piece)) yield Buffer.from(piece as string);
    else yield* piece;
  }
}
/** `times` copies, 1,000 in a write. */
const many = (bytes: Buffer, times: number): Iterable<Buffer> =>
  repeat(Buffer.concat(Array(1000).fill(bytes)), times / 1000);
const open = (name: string, file?: string): Buffer => part(name, "", file, "text/plain").subarray(0, -2);
const START = '------boundary\r\nContent-Disposition: form-data; name="a"\r\n';

/** What is sent, and the answers that are right for it. */
const bombs: [name: string, body: () => Iterable<Buffer>, status: number, type?: string][] = [
  ["a file of 1 GB", () => joined(open("f", "a.txt"), repeat(CHUNK, 16 * 1024), "\r\n", END), 413],
  ["10^6 parts without content", () => joined(many(part("a", ""), 1e6), END), 413],
  ["10^6 parts that are files without content", () => joined(many(part("a", "", ""), 1e6), END), 413],
  ["10^6 parts without a name", () => joined(many(Buffer.from("------boundary\r\n\r\n\r\n"), 1e6), END), 413],
  ["10^5 fields", () => joined(many(part("a", "1"), 1e5), END), 413],
  ["a value of 1 GB", () => joined(open("a"), repeat(CHUNK, 16 * 1024), "\r\n", END), 413],
  ["10^6 headers of a part", () => joined(START, many(Buffer.from("X-Header: value\r\n"), 1e6), "\r\nx\r\n", END), 413],
  ["a header of 1 GB", () => joined(START, "X: ", repeat(CHUNK, 16 * 1024), "\r\n\r\nx\r\n", END), 413],
  [
    "a field name of 1 GB",
    () =>
      joined(
        '------boundary\r\nContent-Disposition: form-data; name="',
        repeat(CHUNK, 16 * 1024),
        '"\r\n\r\nx\r\n',
        END,
      ),
    413,
  ],
  ["1 GB before the first boundary", () => joined(repeat(CHUNK, 16 * 1024), part("a", "1"), END), 413],
  ["1 GB behind the last boundary", () => joined(part("a", "1"), END, repeat(CHUNK, 16 * 1024)), 413],
  ["10^5 small files", () => joined(many(part("f", "x", "a.txt"), 1e5), END), 413],
  ["no boundary in the header", () => joined(part("a", "1"), END), 400, "multipart/form-data"],
  ["an empty boundary in the header", () => joined(part("a", "1"), END), 400, "multipart/form-data; boundary="],
  [
    "another boundary than in the header",
    () => joined(part("a", "1"), END),
    400,
    "multipart/form-data; boundary=other",
  ],
  ["no boundary in the body", () => [Buffer.from("a=1")], 400],
  ["nothing at all", () => [], 400],
  [
    "a body inside the body",
    () =>
      joined(
        '------boundary\r\nContent-Disposition: form-data; name="a"\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n',
        END,
      ),
    400,
  ],
  [
    "a body inside a file of the body",
    () => joined(part("f", "--b\r\n\r\nx\r\n--b--", "a.txt", "multipart/mixed"), END),
    400,
  ],
  ["an end inside a file", () => joined(open("f", "a.txt"), repeat(CHUNK, 20)), 400],
  ["an end inside a field", () => joined(open("a"), "x"), 400],
  ["an end inside the headers", () => [Buffer.from(START)], 400],
  ["an end before the last boundary", () => [part("a", "1")], 400],
];

describe("hostile multipart bodies over a real socket", () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
    expect((await send(app, joined(part("a", "1"), part("f", CHUNK, "a.txt"), END))).status).toBe(200);
  });
  afterAll(() => app.stop());

  it.each(bombs)(
    "%s",
    async (name, body, status, type) => {
      const before = await app.settle();
      const copies = status === 413 ? 10 : 1;
      const answers = await Promise.all(
        Array.from({ length: copies }, () => send(app, body(), type === undefined ? {} : { type })),
      );
      expect(answers.map((answer) => [answer.status, name])).toEqual(answers.map(() => [status, name]));
      const { peak, submissions } = await app.read();
      expect((peak - before.rss) / MB).toBeLessThan(GROWTH);
      expect([app.blobs().length, submissions]).toEqual([1, 1]);
    },
    60_000,
  );

  it("a sender that drips bytes is cut off after 5 seconds, file or not", async () => {
    async function* drip(first: Buffer): AsyncGenerator<Buffer> {
      yield first;
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        yield Buffer.from("x");
      }
    }
    const started = performance.now();
    const heads = [open("a"), Buffer.from(START), Buffer.concat([open("f", "a.txt"), CHUNK])];
    const answers = await Promise.all(heads.flatMap((head) => Array.from({ length: 10 }, () => send(app, drip(head)))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([408]));
    const seconds = (performance.now() - started) / 1000;
    expect(seconds).toBeGreaterThan(4.9);
    expect(seconds).toBeLessThan(15);
    expect(app.blobs()).toHaveLength(1);
  }, 300_000);

  it("a sender that goes away in the middle leaves nothing, and the next one is served", async () => {
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const socket = connect(app.port, "127.0.0.1");
        socket.on("error", () => {});
        const head = `POST ${app.path} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=----boundary\r\nContent-Length: ${9 * MB}\r\n\r\n`;
        await new Promise((resolve) =>
          socket.write(
            Buffer.concat([Buffer.from(head), open("f", "a.txt"), CHUNK.subarray(0, 1 + i * 3000)]),
            resolve,
          ),
        );
        return socket;
      }),
    );
    // Until some of them have a file half-written, so that there is something to be left.
    await vi.waitUntil(() => app.blobs().length > 1, { timeout: 10_000 });
    for (const [i, socket] of sockets.entries()) i % 2 ? socket.destroy() : socket.resetAndDestroy();
    await vi.waitUntil(() => app.blobs().length === 1, { timeout: 10_000 });
    expect((await send(app, joined(part("a", "1"), END))).status).toBe(200);
    expect((await app.read()).submissions).toBe(2);
  });
});
