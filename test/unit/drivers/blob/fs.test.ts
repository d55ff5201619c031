import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fsBlob } from "../../../../src/drivers/blob/fs.ts";
import { blobSuite } from "../../../../src/surfaces/testing/blob.ts";

const META = { mimeType: "text/plain" };
const streamOf = (text: string) => new Blob([text]).stream() as ReadableStream<Uint8Array>;

describe("fsBlob", () => {
  let base = "";
  let dir = "";
  beforeEach(async () => {
    base = await mkdtemp(join(tmpdir(), "form-backend-fs-"));
    dir = join(base, "not", "there", "yet");
  });
  afterEach(() => rm(base, { recursive: true, force: true }));

  for (const c of blobSuite) {
    test(c.name, async () => {
      await c.run(() => fsBlob({ dir }));
      // Whatever the keys were: nothing beside the directory, no directory but the one for unfinished files, nothing unfinished.
      expect(await readdir(join(base, "not", "there")).catch(() => ["yet"])).toEqual(["yet"]);
      const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
      expect(entries.filter((entry) => !entry.isFile()).map(({ name }) => name)).toEqual(
        entries.length > 0 ? [".partial"] : [],
      );
      expect(await readdir(join(dir, ".partial")).catch(() => [])).toEqual([]);
    });
  }

  test("a key of the library is the file's name, and only the owner can read it", async () => {
    await fsBlob({ dir }).put("file_0123456789abcdef01234567", streamOf("hello"), META);
    const path = join(dir, "file_0123456789abcdef01234567");
    expect(await readFile(path, "utf8")).toBe("hello");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test.each([undefined, ""])("a `dir` that is %j is refused, as where a variable is not set", (missing) => {
    expect(() => fsBlob({ dir: missing as never })).toThrow(new TypeError("[form-backend] fsBlob: `dir` is missing."));
  });

  test("another instance finds the blob", async () => {
    await fsBlob({ dir }).put("file_1", streamOf("hello"), META);
    expect(await new Response(await fsBlob({ dir }).get("file_1")).text()).toBe("hello");
  });

  test("a reader keeps the bytes it began with while the blob is replaced and removed", async () => {
    const blob = fsBlob({ dir });
    await blob.put("file_1", streamOf("first"), META);
    const body = await blob.get("file_1");
    await blob.put("file_1", streamOf("second"), META);
    await blob.remove("file_1");
    expect(await new Response(body).text()).toBe("first");
  });

  test("the first put takes away what a dead process left more than a day ago, and nothing younger", async () => {
    await mkdir(join(dir, ".partial"), { recursive: true });
    for (const name of ["old", "young"]) await writeFile(join(dir, ".partial", name), "half");
    const yesterday = Date.now() / 1000 - 25 * 3600;
    await utimes(join(dir, ".partial", "old"), yesterday, yesterday);
    await fsBlob({ dir }).put("file_1", streamOf("hello"), META);
    expect(await readdir(join(dir, ".partial"))).toEqual(["young"]);
  });

  test("a directory that can't be made is an error, and the stream is given up", async () => {
    await writeFile(join(base, "file"), "");
    let cancelled: unknown;
    const body = new ReadableStream<Uint8Array>({
      cancel(reason) {
        cancelled = reason;
      },
    });
    const put = fsBlob({ dir: join(base, "file", "blobs") }).put("file_1", body, META);
    await expect(put).rejects.toMatchObject({ code: "ENOTDIR" });
    expect(cancelled).toMatchObject({ code: "ENOTDIR" });
  });

  test("a slow disk slows the sender: a chunk is asked for when the one before is written", async () => {
    let asked = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          // One chunk at most is under way, so what was asked for before is in the unfinished file by now.
          const [name] = await readdir(join(dir, ".partial"));
          const written = (await stat(join(dir, ".partial", name!))).size;
          expect(written).toBe(asked * 10_000);
          if (asked++ < 20) controller.enqueue(new Uint8Array(10_000));
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    expect(await fsBlob({ dir }).put("file_1", body, META)).toEqual({ size: 200_000 });
  });
});
