import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type S3BlobOptions, s3Blob } from "../../../../src/drivers/blob/s3.ts";
import { blobSuite } from "../../../../src/surfaces/testing/blob.ts";
import { useS3 } from "../../../_support/s3-server.ts";

const MIB = 1024 * 1024;
const META = { mimeType: "text/plain" };
const { s3, proxy, blob } = useS3();

/** So many bytes, made as they are asked for; `onPull` sees how many were asked for before. */
function made(bytes: number, onPull: (before: number) => void = () => {}): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream(
    {
      pull(controller) {
        onPull(sent);
        if (sent === bytes) return controller.close();
        const chunk = new Uint8Array(Math.min(100_000, bytes - sent)).fill(sent & 0xff);
        sent += chunk.length;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
}
async function digest(stream: ReadableStream<Uint8Array> | null): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of stream ?? []) hash.update(chunk);
  return hash.digest("hex");
}

describe("s3Blob", () => {
  for (const c of blobSuite) {
    test(c.name, async () => {
      await c.run(() => s3Blob(s3().options()));
      expect(s3().uploads()).toEqual([]);
    });
  }
});

describe("s3Blob's objects", () => {
  test("a small file is one PUT, its key the library's own id, below the prefix", async () => {
    for (const [prefix, key] of [
      ["", "forms/file_1"],
      ["uploads", "forms/uploads/file_1"],
      ["a/b=c/", "forms/a/b=c/file_1"],
    ] as const) {
      proxy().seen.length = 0;
      const driver = s3Blob(blob({ prefix }));
      expect(await driver.put("file_1", made(12_345), META)).toEqual({ size: 12_345 });
      expect(proxy().seen).toEqual([`PUT /${key}`]);
      expect(await digest(await driver.get("file_1"))).toBe(await digest(made(12_345)));
      await driver.remove("file_1");
    }
    expect(
      s3()
        .keys()
        .filter((key) => key.endsWith("file_1")),
    ).toEqual([]);
  });

  test.each([5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 10 * MIB, 23 * MIB + 7])(
    "%i bytes come back, in equal parts that S3 takes",
    async (size) => {
      const driver = s3Blob(blob());
      expect(await driver.put("file_big", made(size), META)).toEqual({ size });
      const sent = proxy().seen.map((line) => line.replace(/(uploadId=)\w+/, "$1…"));
      const parts = Array.from(
        { length: Math.ceil(size / (5 * MIB)) },
        (_, i) => `PUT /forms/file_big?partNumber=${i + 1}&uploadId=…`,
      );
      expect(sent).toEqual(
        size < 5 * MIB
          ? ["PUT /forms/file_big"]
          : ["POST /forms/file_big?uploads=", ...parts, "POST /forms/file_big?uploadId=…"],
      );
      expect(await digest(await driver.get("file_big"))).toBe(await digest(made(size)));
      expect(s3().uploads()).toEqual([]);
      await driver.remove("file_big");
      expect(await driver.get("file_big")).toBeNull();
    },
  );

  test("no more is read than one part while it is sent", async () => {
    let received = 0;
    proxy().rule = () => (request, _, pass) => {
      request.on("data", (chunk: Buffer) => (received += chunk.length));
      pass();
    };
    const driver = s3Blob(blob());
    await driver.put(
      "file_slow",
      made(30 * MIB, (before) => expect(before - received).toBeLessThanOrEqual(5 * MIB + 100_000)),
      META,
    );
    await driver.remove("file_slow");
  });

  test("a stream that errors in its third part leaves the old blob and no open upload, and S3 was asked to abort", async () => {
    const driver = s3Blob(blob());
    await driver.put("file_1", made(100), META);
    const broken = new Error("the visitor went away");
    const put = driver.put(
      "file_1",
      made(30 * MIB, (before) => {
        if (before < 12 * MIB) return;
        expect(s3().uploads()).toHaveLength(1);
        throw broken;
      }),
      META,
    );
    await expect(put).rejects.toBe(broken);
    expect(proxy().seen.at(-1)).toMatch(/^DELETE \/forms\/file_1\?uploadId=/);
    expect(s3().uploads()).toEqual([]);
    expect(await digest(await driver.get("file_1"))).toBe(await digest(made(100)));
  });

  test("a million chunks of one byte are a small file", async () => {
    let left = 1_000_000;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        for (let i = 0; i < 1000; i++) controller.enqueue(new Uint8Array([left-- & 0xff]));
        if (left === 0) controller.close();
      },
    });
    expect(await s3Blob(blob()).put("file_1", body, META)).toEqual({ size: 1_000_000 });
    expect(proxy().seen).toEqual(["PUT /forms/file_1"]);
  });
});

describe("s3Blob refuses", () => {
  test.each<[string, Partial<Record<keyof S3BlobOptions, unknown>>, string]>([
    ["an endpoint that is not set", { endpoint: undefined }, "`endpoint` is missing"],
    ["no bucket", { bucket: "" }, "`bucket` is missing"],
    ["no region", { region: undefined }, "`region` is missing"],
    ["no access key", { accessKeyId: undefined }, "`accessKeyId` is missing"],
    ["no secret", { secretAccessKey: undefined }, "`secretAccessKey` is missing"],
    ["a secret with the line's end", { secretAccessKey: "abc\n" }, "`secretAccessKey` has white space in it"],
    ["a bucket with a path", { bucket: "forms/files" }, "is not a name of a bucket"],
    ["a prefix that leads elsewhere", { prefix: "../other" }, "`prefix` may hold"],
    ["a prefix with empty names", { prefix: "/a//b" }, "`prefix` may hold"],
    ["an endpoint without a scheme", { endpoint: "s3.example.com" }, "`endpoint` must be a URL"],
    ["another scheme", { endpoint: "s3://forms" }, "`endpoint` must be an http or https URL"],
    ["a secret in the endpoint", { endpoint: "https://a:b@s3.example.com" }, "without a user"],
    ["the bucket in the host", { endpoint: "https://forms.s3.eu-west-1.amazonaws.com" }, "leave the bucket out"],
    ["the bucket in the path", { endpoint: "https://x.r2.cloudflarestorage.com/forms" }, "leave the bucket out"],
    ["a time that is none", { timeoutMs: 0 }, "`timeoutMs` must be more than 0"],
  ])("%s", (_, wrong, message) => {
    const make = () => s3Blob({ ...s3().options(), ...wrong } as S3BlobOptions);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(`[form-backend] s3Blob: `);
    expect(make).toThrow(message);
  });

  test("no option's value is shown but the bucket's", () => {
    const secret = "se cret";
    expect(() => s3Blob(s3().options({ secretAccessKey: secret }))).not.toThrow(secret);
  });
});
