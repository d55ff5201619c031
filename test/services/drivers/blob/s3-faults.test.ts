import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { s3Blob } from "../../../../src/drivers/blob/s3.ts";
import { type Fault, startProxy, startS3, useS3 } from "../../../_support/s3-server.ts";

const MIB = 1024 * 1024;
const META = { mimeType: "text/plain" };
const { s3, proxy, blob } = useS3();

function bytes(size: number): ReadableStream<Uint8Array> {
  return new Blob([new Uint8Array(size)]).stream() as ReadableStream<Uint8Array>;
}
const sizeOf = async (stream: ReadableStream<Uint8Array> | null) =>
  (await new Response(stream).arrayBuffer()).byteLength;

/** An answer of S3's kind, sent before the body is read. */
const says =
  (status: number, code = "", more = "", headers = {}): Fault =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/xml", ...headers });
    response.end(code && `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>M</Message>${more}</Error>`);
  };
const hangUp: Fault = (_, response) => void response.destroy();
const silence: Fault = (request) => void request.resume();
/** The request gets through, the answer does not. */
const loseAnswer: Fault = (_, response, pass) => {
  response.writeHead = () => response.destroy();
  pass();
};

describe("S3 refuses", () => {
  test.each<[string, Fault, string[]]>([
    [
      "an unknown key",
      says(403, "InvalidAccessKeyId"),
      ["403 InvalidAccessKeyId", "access key S3RVER", "`accessKeyId`"],
    ],
    ["a wrong secret", says(403, "SignatureDoesNotMatch"), ["`secretAccessKey` of the access key S3RVER", "`region`"]],
    ["a key that may not", says(403, "AccessDenied"), ["S3RVER may not use the bucket “forms”", "docs/drivers/s3.md"]],
    ["without a word", says(403), ["answered 403", "S3RVER may not use the bucket “forms”"]],
    ["with 401", says(401, "Unauthorized"), ["answered 401 Unauthorized", "bucket “forms”"]],
    ["a bucket that is not there", says(404, "NoSuchBucket"), ["there is no bucket “forms”", "`bucket`"]],
    ["a clock that is wrong", says(403, "RequestTimeTooSkewed"), ["the clock of this machine"]],
    [
      "another region",
      says(301, "PermanentRedirect", "", { "x-amz-bucket-region": "eu-west-3", location: "https://evil.example/" }),
      ["not in the region us-east-1", "It is in eu-west-3", "`region`"],
    ],
    [
      "another region, by XML",
      says(400, "AuthorizationHeaderMalformed", "<Region>eu-west-3</Region>"),
      ["It is in eu-west-3"],
    ],
    ["something of its own", says(400, "KeyTooLongError"), ["answered 400 KeyTooLongError: M."]],
    ["in HTML", says(418, "", ""), ["answered 418."]],
  ])("%s: every verb says what to check, at once and without the secret", async (_, fault, words) => {
    proxy().rule = () => fault;
    const driver = s3Blob(blob({ secretAccessKey: "topsecret" }));
    for (const [verb, run] of [
      ["put", () => driver.put("file_1", bytes(10), META)],
      ["a large put", () => driver.put("file_1", bytes(6 * MIB), META)],
      ["get", () => driver.get("file_1")],
      ["remove", () => driver.remove("file_1")],
    ] as const) {
      proxy().seen.length = 0;
      const error = await run().then(
        () => expect.unreachable(`${verb} resolved`),
        (reason: Error) => reason,
      );
      for (const word of words) expect(error.message, verb).toContain(word);
      expect(error.message).toMatch(/^\[form-backend\] s3Blob: /);
      expect(error.message).not.toContain("topsecret");
      expect(proxy().seen, verb).toHaveLength(1);
    }
  });

  test("the real server refuses a wrong secret and a wrong bucket", async () => {
    await expect(s3Blob(s3().options({ secretAccessKey: "wrong" })).put("file_1", bytes(1), META)).rejects.toThrow(
      "`secretAccessKey`",
    );
    await expect(s3Blob(s3().options({ accessKeyId: "nobody" })).get("file_1")).rejects.toThrow("access key nobody");
    const elsewhere = s3Blob(s3().options({ bucket: "not-there" }));
    for (const run of [
      () => elsewhere.put("file_1", bytes(1), META),
      () => elsewhere.put("file_1", bytes(6 * MIB), META),
      () => elsewhere.get("file_1"),
      () => elsewhere.remove("file_1"),
    ]) {
      await expect(run()).rejects.toThrow("there is no bucket “not-there”");
    }
  });

  test("an upload that is refused in the middle is aborted, and its source is given up", async () => {
    proxy().rule = (line) => (line.includes("partNumber=2") ? says(403, "AccessDenied") : null);
    let cancelled: unknown;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(MIB)),
      cancel: (reason) => {
        cancelled = reason ?? "yes";
      },
    });
    await expect(s3Blob(blob()).put("file_endless", body, META)).rejects.toThrow("403 AccessDenied");
    expect(cancelled).toBeDefined();
    expect(s3().uploads()).toEqual([]);
    expect(s3().keys()).not.toContain("file_endless");
  });
});

describe("S3 stumbles", () => {
  test.each<[string, Fault]>([
    ["503 SlowDown", says(503, "SlowDown")],
    ["503 of a proxy", says(503)],
    ["500", says(500, "InternalError")],
    ["429", says(429, "TooManyRequests")],
    ["400 RequestTimeout", says(400, "RequestTimeout")],
    ["200 with an error inside", says(200, "InternalError")],
    ["a closed connection", hangUp],
    ["a lost answer", loseAnswer],
  ])("%s, once at each step: nobody notices", async (_, fault) => {
    const stumbled = new Set<string>();
    proxy().rule = (line) => {
      if (stumbled.has(line)) return null;
      stumbled.add(line);
      // What is read as a stream is judged by its status alone.
      return line.startsWith("GET") ? says(503, "SlowDown") : fault;
    };
    const driver = s3Blob(blob());
    await driver.put("file_1", bytes(10), META);
    await driver.put("file_2", bytes(6 * MIB), META);
    expect(await sizeOf(await driver.get("file_1"))).toBe(10);
    expect(await sizeOf(await driver.get("file_2"))).toBe(6 * MIB);
    await driver.remove("file_1");
    await driver.remove("file_2");
    expect(s3().keys()).not.toEqual(expect.arrayContaining(["file_1"]));
    expect(stumbled.size).toBeGreaterThanOrEqual(8);
  });

  test("503 for good: a clear error after four tries, and the next put works when it has passed", async () => {
    const driver = s3Blob(blob());
    proxy().rule = () => says(503, "SlowDown");
    await expect(driver.put("file_1", bytes(10), META)).rejects.toThrow(/answered 503 SlowDown: M\.$/);
    expect(proxy().seen).toHaveLength(4);
    await expect(driver.get("file_1")).rejects.toThrow("answered 503 SlowDown");
    await expect(driver.remove("file_1")).rejects.toThrow("answered 503 SlowDown");
    proxy().rule = () => null;
    await driver.put("file_1", bytes(10), META);
    expect(await sizeOf(await driver.get("file_1"))).toBe(10);
  });

  test("503 for good in the middle of an upload leaves none open", async () => {
    proxy().rule = (line) => (line.includes("partNumber=3") ? says(503, "SlowDown") : null);
    await expect(s3Blob(blob()).put("file_cut", bytes(11 * MIB), META)).rejects.toThrow("answered 503 SlowDown");
    expect([s3().uploads(), s3().keys().includes("file_cut")]).toEqual([[], false]);
  });

  test("an upload whose completion was never answered stands, for S3 knows it by its mark", async () => {
    proxy().rule = (line) => (/^POST .*uploadId=/.test(line) ? loseAnswer : null);
    const driver = s3Blob(blob());
    expect(await driver.put("file_1", bytes(6 * MIB), META)).toEqual({ size: 6 * MIB });
    proxy().rule = () => null;
    expect(await sizeOf(await driver.get("file_1"))).toBe(6 * MIB);
    expect(s3().uploads()).toEqual([]);
  });

  test("one that was never completed is an error, though an older blob stands under the key", async () => {
    const driver = s3Blob(blob());
    await driver.put("file_1", bytes(6 * MIB), META);
    proxy().rule = (line) => (/^POST .*uploadId=/.test(line) ? says(503, "SlowDown") : null);
    await expect(driver.put("file_1", bytes(6 * MIB), META)).rejects.toThrow("answered 503 SlowDown");
    expect(s3().uploads()).toEqual([]);
  });

  test("a server that is away: an error that names it, and work goes on when it is back, with the same driver", async () => {
    const first = await startS3();
    const driver = s3Blob(first.options());
    await driver.put("file_1", bytes(10), META);
    await first.close();
    await expect(driver.put("file_1", bytes(10), META)).rejects.toThrow(
      `http://127.0.0.1:${first.port} can't be reached (ECONNREFUSED). Check \`endpoint\`.`,
    );
    const second = await startS3(first.port);
    onTestFinished(() => second.close());
    await driver.put("file_1", bytes(10), META);
    expect(await sizeOf(await driver.get("file_1"))).toBe(10);
  });

  test("a host that does not exist is named", async () => {
    const driver = s3Blob(s3().options({ endpoint: "http://s3.invalid" }));
    await expect(driver.get("file_1")).rejects.toThrow("http://s3.invalid can't be reached (E");
  });
});

describe("S3 is slow", () => {
  test("silence ends at the time-out, and is not tried again", async () => {
    proxy().rule = () => silence;
    const driver = s3Blob(blob({ timeoutMs: 100 }));
    for (const run of [
      () => driver.put("file_1", bytes(10), META),
      () => driver.get("file_1"),
      () => driver.remove("file_1"),
    ]) {
      proxy().seen.length = 0;
      await expect(run()).rejects.toThrow(/did not answer within 0\.1 s\.$/);
      // None, where a busy machine took as long to connect.
      expect(proxy().seen.length).toBeLessThanOrEqual(1);
    }
  });

  test("an upload whose part is never answered is aborted", async () => {
    proxy().rule = (line) => (line.includes("partNumber=2") ? silence : null);
    await expect(s3Blob(blob({ timeoutMs: 2_000 })).put("file_cut", bytes(6 * MIB), META)).rejects.toThrow(
      "did not answer within 2 s",
    );
    expect(s3().uploads()).toEqual([]);
  });

  test("a download that stops coming errs, one that nobody reads does not", async () => {
    const driver = s3Blob(blob({ timeoutMs: 2_000 }));
    await driver.put("file_1", bytes(4 * MIB), META);
    proxy().rule = () => (_, response) => {
      response.writeHead(200, { "content-length": 4 * MIB });
      response.write(Buffer.alloc(1000));
    };
    const reader = (await driver.get("file_1"))!.getReader();
    expect((await reader.read()).value).toHaveLength(1000);
    await expect(reader.read()).rejects.toThrow("a download broke off after 1000 bytes (no response within 2000 ms).");

    proxy().rule = () => null;
    const idle = (await driver.get("file_1"))!;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await sizeOf(idle)).toBe(4 * MIB);
  });
});

describe("a download that is cut off", () => {
  test.each<[string, Fault]>([
    [
      "short of its length",
      (_, response) => {
        response.writeHead(200, { "content-length": 5000, connection: "close" });
        response.write(Buffer.alloc(1000), () => response.socket?.end());
      },
    ],
    [
      "in the middle of its chunks",
      (_, response) => {
        response.writeHead(200);
        response.write(Buffer.alloc(1000), () => response.socket?.destroy());
      },
    ],
  ])("%s errs and is never a short file", async (_, fault) => {
    proxy().rule = () => fault;
    const stream = await s3Blob(blob()).get("file_1");
    await expect(sizeOf(stream)).rejects.toThrow("a download broke off after 1000 bytes (");
  });

  test("one that may be, because its end is that of the connection, is refused", async () => {
    proxy().rule = () => (_, response) => {
      response.writeHead(200, { connection: "close" });
      response.write(Buffer.alloc(1000), () => response.socket?.destroy());
    };
    await expect(s3Blob(blob()).get("file_1")).rejects.toThrow("sent a blob without its length");
  });
});

test("nothing follows a redirect: the signature goes to no other host", async () => {
  let asked = 0;
  const other = createServer((_, response) => {
    asked++;
    response.end("stolen");
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  proxy().rule = () => says(307, "TemporaryRedirect", "", { location: `http://127.0.0.1:${port}/forms/file_1` });
  await expect(s3Blob(blob()).get("file_1")).rejects.toThrow("answered 307 TemporaryRedirect");
  expect(asked).toBe(0);
});

test("a proxy in front changes nothing of what is signed", async () => {
  const behind = await startProxy(() => s3().port);
  onTestFinished(() => behind.close());
  const driver = s3Blob(s3().options({ endpoint: `${behind.endpoint}/` }));
  await driver.put("file_1", bytes(10), META);
  expect(await sizeOf(await driver.get("file_1"))).toBe(10);
});
