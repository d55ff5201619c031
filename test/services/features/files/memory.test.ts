import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, startApp } from "./_process.ts";
import { END, part, send } from "./_send.ts";

const MB = 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, "0123456789abcdef");

/** A field and a file of `megabytes` MB. */
function* upload(megabytes: number): Generator<Buffer> {
  yield part("name", "Ann");
  yield part("file", "", "big.txt", "text/plain").subarray(0, -2);
  for (let i = 0; i < megabytes * 16; i++) yield CHUNK;
  yield Buffer.from("\r\n");
  yield END;
}

describe("uploads over a real socket", () => {
  let app: App;
  beforeAll(async () => {
    app = await startApp();
    // What a first request loads and compiles is no part of what uploads cost.
    for (let i = 0; i < 5; i++) expect((await send(app, upload(1))).status).toBe(200);
  });
  afterAll(() => app.stop());

  it("50 of 10 MB in parallel take less than 64 MB of memory beyond the idle process", async () => {
    const before = app.blobs().length;
    const idle = await app.settle();
    const started = performance.now();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(app, upload(10))));
    const seconds = (performance.now() - started) / 1000;
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const { peak, submissions } = await app.read();
    console.log(JSON.stringify({ idle: idle.rss / MB, peak: peak / MB, grown: (peak - idle.rss) / MB, seconds }));
    expect((peak - idle.rss) / MB).toBeLessThan(64);
    expect([app.blobs().length - before, submissions]).toEqual([50, 55]);
  }, 300_000);
});
