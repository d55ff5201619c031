import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { s3Blob } from "../../../../src/drivers/blob/s3.ts";
import { harness } from "../../../_support/backend.ts";
import { formData, json } from "../../../_support/blobs.ts";
import { useS3 } from "../../../_support/s3-server.ts";
import { type App, startApp } from "./_process.ts";
import { END, part, send } from "./_send.ts";

const MB = 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, "0123456789abcdef");
const { s3, proxy, blob } = useS3();

/** A field and a file of `megabytes` MB. */
function* upload(megabytes: number): Generator<Buffer> {
  yield part("name", "Ann");
  yield part("file", "", "big.txt", "text/plain").subarray(0, -2);
  for (let i = 0; i < megabytes * 16; i++) yield CHUNK;
  yield Buffer.from("\r\n");
  yield END;
}
const held = (): [string[], string[]] => [s3().keys(), s3().uploads()];

describe("a file on the public endpoint, kept in S3", () => {
  it.each([10, 6 * MB])("of %i bytes is served as it was sent, and goes with its submission", async (size) => {
    const b = harness({ blob: s3Blob(blob({ prefix: "forms" })) });
    const { id } = await b.forms.create({ name: "A" });
    const content = Buffer.alloc(size, "text ");
    const { json: answer } = await b.post(id, formData([["cv", ["cv.txt", content]]]), json);
    const { attachments } = await b.submissions.get(id, answer.submission_id);
    const url = attachments[0]?.url as string;
    const served = await b.fetch(new Request(url));
    expect(served.headers.get("content-length")).toBe(String(size));
    expect(content.equals(Buffer.from(await served.arrayBuffer()))).toBe(true);
    expect(held()).toEqual([[expect.stringMatching(/^forms\/file_[0-9a-f]{24}$/)], []]);
    await b.submissions.delete(id, answer.submission_id);
    expect(held()).toEqual([[], []]);
    expect((await b.fetch(new Request(url))).status).toBe(404);
  });

  it.each<[string, () => Iterable<Buffer>, number, RegExp]>([
    ["a file above the limit, when a part of it is stored", () => upload(11), 413, /^DELETE .*\?uploadId=/],
    [
      "a second file of a type that is refused",
      () => [part("f", Buffer.alloc(6 * MB, "a"), "a.txt"), part("g", "MZ\x90\0\x03\0\0\0", "a.exe"), END],
      415,
      /^DELETE \/forms\/file_\w+$/,
    ],
  ])("%s leaves nothing in the bucket", async (_, body, status, asked) => {
    const b = harness({ blob: s3Blob(blob()) });
    const { id } = await b.forms.create({ name: "A" });
    const request = new Request(`${b.baseUrl}/f/${id}`, {
      method: "POST",
      headers: { ...json, "content-type": "multipart/form-data; boundary=----boundary" },
      body: ReadableStream.from(body()),
      duplex: "half",
    });
    expect((await b.fetch(request)).status).toBe(status);
    expect(held()).toEqual([[], []]);
    expect(proxy().seen).toContainEqual(expect.stringMatching(asked));
  });

  it("is 503 while S3 answers so or refuses, stores nothing, and works again without a restart", async () => {
    const b = harness({ blob: s3Blob(blob()) });
    const { id } = await b.forms.create({ name: "A" });
    const post = () => b.post(id, formData([["cv", ["cv.txt", "content"]]]), json);
    for (const status of [503, 403]) {
      proxy().rule = () => (_, response) => response.writeHead(status).end();
      const refused = await post();
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(refused.json.error).toMatchObject({ code: "unavailable" });
      expect(refused.text).not.toMatch(/S3|bucket|127\.0\.0\.1/);
    }
    proxy().rule = () => null;
    const { json: answer } = await post();
    const { attachments } = await b.submissions.get(id, answer.submission_id);
    const url = attachments[0]?.url as string;
    proxy().rule = () => (_, response) => response.writeHead(503).end();
    expect((await b.fetch(new Request(url))).status).toBe(503);
    proxy().rule = () => null;
    expect(await (await b.fetch(new Request(url))).text()).toBe("content");
    expect((await b.submissions.list(id, { status: "all" })).data).toHaveLength(1);
    await b.submissions.delete(id, answer.submission_id);
  });
});

describe("over a real socket", () => {
  let app: App;
  beforeAll(async () => {
    const PLAN = JSON.stringify({ max_file_size: 100 * MB, max_total_file_size: 100 * MB });
    app = await startApp({ S3: JSON.stringify(s3().options()), PLAN });
    // What a first request loads and compiles is no part of what uploads cost.
    for (let i = 0; i < 5; i++) expect((await send(app, upload(6))).status).toBe(200);
  });
  afterAll(() => app?.stop());

  it.each([
    ["one of 50 MB", 1, 50, 64],
    // Each holds one part of 5 MiB.
    ["8 of 10 MB in parallel", 8, 10, 64 + 8 * 5],
  ])("%s takes bounded memory", async (_, count, megabytes, bound) => {
    const before = s3().keys().length;
    const idle = await app.settle();
    const answers = await Promise.all(Array.from({ length: count }, () => send(app, upload(megabytes))));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { peak } = await app.read();
    console.log(JSON.stringify({ count, megabytes, grown: (peak - idle.rss) / MB }));
    expect((peak - idle.rss) / MB).toBeLessThan(bound);
    expect([s3().keys().length - before, s3().uploads()]).toEqual([count, []]);
  });

  it("a sender that goes away in the middle of an upload leaves no object and no open upload", async () => {
    const before = s3().keys().length;
    const sockets = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const socket = connect(app.port, "127.0.0.1");
        socket.on("error", () => {});
        const head = `POST ${app.path} HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=----boundary\r\nContent-Length: ${20 * MB}\r\n\r\n`;
        const pieces = [Buffer.from(head), ...Array.from(upload(12)).slice(0, -2)];
        await new Promise((resolve) => socket.write(Buffer.concat(pieces), resolve));
        return socket;
      }),
    );
    await vi.waitUntil(() => s3().uploads().length === 6, { timeout: 20_000 });
    for (const [i, socket] of sockets.entries()) i % 2 ? socket.destroy() : socket.resetAndDestroy();
    await vi.waitUntil(() => s3().uploads().length === 0, { timeout: 20_000 });
    expect(s3().keys()).toHaveLength(before);
    expect((await send(app, upload(1))).status).toBe(200);
  });
});
