import { createHash, createHmac } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, request as forward, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { S3BlobOptions } from "../../src/drivers/blob/s3.ts";

const SECRET = "S3RVER";

/** The part of a Koa context that s3rver fills and we use. */
interface Context {
  req: IncomingMessage;
  method: string;
  path: string;
  query: Record<string, string>;
  params: Record<string, string>;
  state: Record<string, unknown>;
  status: number;
  body: unknown;
  store: { getResourcePath(bucket: string, key: undefined, resource: string): string };
}
type Middleware = (ctx: Context, next: () => Promise<void>) => Promise<void>;
interface S3rver {
  middleware: Middleware[];
  run(): Promise<AddressInfo>;
  close(): Promise<void>;
  readonly httpServer: Server;
}

const require = createRequire(import.meta.url);
const S3rver = require("s3rver") as new (options: object) => S3rver;
const folder = join(fileURLToPath(import.meta.resolve("s3rver")), "..");
const authenticate = (require(join(folder, "middleware/authentication.js")) as () => Middleware)();
const S3Fault = require(join(folder, "models/error.js")) as new (code: string, message: string) => Error;

/** s3rver knows multipart uploads, but not how to abort one; its own check of the signature stands before it. */
const abortUpload: Middleware = async (ctx, next) => {
  const { uploadId } = ctx.query;
  if (ctx.method !== "DELETE" || uploadId === undefined) return next();
  const [, bucket = "", ...key] = ctx.path.split("/");
  ctx.params = { bucket, key: key.join("/") };
  await authenticate(ctx, async () => {
    const path = join(ctx.store.getResourcePath(bucket, undefined, "uploads"), uploadId);
    if (!existsSync(path)) throw new S3Fault("NoSuchUpload", "The specified multipart upload does not exist.");
    rmSync(path, { recursive: true });
    ctx.status = 204;
  });
};

/** Nor how to list the parts of one. */
const listParts: Middleware = async (ctx, next) => {
  const { uploadId } = ctx.query;
  if (ctx.method !== "GET" || uploadId === undefined) return next();
  const [, bucket = "", ...key] = ctx.path.split("/");
  ctx.params = { bucket, key: key.join("/") };
  await authenticate(ctx, async () => {
    const path = join(ctx.store.getResourcePath(bucket, undefined, "uploads"), uploadId);
    if (!existsSync(path)) throw new S3Fault("NoSuchUpload", "The specified multipart upload does not exist.");
    const parts = readdirSync(path).flatMap((name) => {
      // Written last: a part without it broke off.
      const sum = join(path, `${name}.md5`);
      if (!/^\d+$/.test(name) || !existsSync(sum)) return [];
      const [size, etag] = [statSync(join(path, name)).size, readFileSync(sum, "utf8")];
      return `<Part><PartNumber>${name}</PartNumber><ETag>&#34;${etag}&#x22;</ETag><Size>${size}</Size></Part>`;
    });
    ctx.status = 200;
    ctx.body = `<?xml version="1.0" encoding="UTF-8"?><ListPartsResult><UploadId>${uploadId}</UploadId>${parts.join("")}</ListPartsResult>`;
  });
};

/** It takes parts of an upload that is over. */
const refuseLateParts: Middleware = async (ctx, next) => {
  const { uploadId } = ctx.query;
  const bucket = ctx.path.split("/")[1] ?? "";
  if (ctx.method === "PUT" && uploadId !== undefined) {
    const path = join(ctx.store.getResourcePath(bucket, undefined, "uploads"), uploadId);
    if (!existsSync(path)) throw new S3Fault("NoSuchUpload", "The specified multipart upload does not exist.");
  }
  await next();
};

/** s3rver checks signatures of version 2 only; this is version 4 as AWS documents it, over what came by the wire. */
const checkSignature: Middleware = async (ctx, next) => {
  const { req } = ctx;
  if (ctx.query["X-Amz-Signature"] !== undefined) return checkPresigned(ctx, next);
  const found =
    /^AWS4-HMAC-SHA256 Credential=\w+\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? "",
    );
  if (!found) throw new S3Fault("AccessDenied", "Access Denied");
  const [, day = "", region = "", names = "", signature] = found;
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const [path = "", query = ""] = (req.url ?? "").split("?");
  const encode = (name: string): string => encodeURIComponent(decodeURIComponent(name));
  const canonical = [
    req.method,
    path.split("/").map(encode).join("/"),
    query.split("&").sort().join("&"),
    ...names.split(";").map((name) => `${name}:${String(req.headers[name]).trim()}`),
    "",
    names,
    req.headers["x-amz-content-sha256"],
  ].join("\n");
  const text = [
    "AWS4-HMAC-SHA256",
    req.headers["x-amz-date"],
    `${day}/${region}/s3/aws4_request`,
    sha256(canonical),
  ].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  if (hmac(key, text).toString("hex") !== signature || !names.split(";").includes("host"))
    throw new S3Fault("SignatureDoesNotMatch", "The request signature we calculated does not match.");
  await next();
};

/** The same for a request whose signature stands in its query. */
const checkPresigned: Middleware = async (ctx, next) => {
  const { req } = ctx;
  const [path = "", query = ""] = (req.url ?? "").split("?");
  const given = new URLSearchParams(query);
  const [, day = "", region = ""] = (given.get("X-Amz-Credential") ?? "").split("/");
  const names = given.get("X-Amz-SignedHeaders") ?? "";
  const signed = query.split("&").filter((pair) => !pair.startsWith("X-Amz-Signature="));
  const canonical = [
    req.method,
    path,
    signed.sort().join("&"),
    ...names.split(";").map((name) => `${name}:${String(req.headers[name]).trim()}`),
    "",
    names,
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  const hash = createHash("sha256").update(canonical).digest("hex");
  const text = ["AWS4-HMAC-SHA256", given.get("X-Amz-Date"), `${day}/${region}/s3/aws4_request`, hash].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${SECRET}`);
  if (hmac(key, text).toString("hex") !== given.get("X-Amz-Signature"))
    throw new S3Fault("SignatureDoesNotMatch", "The request signature we calculated does not match.");
  // s3rver's own check knows signatures of version 2 in a query alone.
  for (const name of Object.keys(ctx.query)) if (name.startsWith("X-Amz-")) delete ctx.query[name];
  req.headers.authorization = `AWS4-HMAC-SHA256 Credential=S3RVER/${day}/${region}/s3/aws4_request, SignedHeaders=${names}, Signature=${given.get("X-Amz-Signature")}`;
  req.headers["x-amz-date"] = given.get("X-Amz-Date") ?? "";
  req.headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD";
  const own = ["partNumber", "uploadId"].flatMap((name) => (given.has(name) ? [`${name}=${given.get(name)}`] : []));
  req.url = own.length > 0 ? `${path}?${own.join("&")}` : path;
  await next();
};

export interface S3Server {
  readonly port: number;
  /** For a driver that talks to it. */
  options(more?: Partial<S3BlobOptions>): S3BlobOptions;
  /** Keys of the objects in the bucket. */
  keys(): string[];
  /** Ids of the multipart uploads that were neither completed nor aborted. */
  uploads(): string[];
  /** Takes away the uploads that are open. */
  forgetUploads(): void;
  close(): Promise<void>;
}

/** A real S3 server over a directory of its own, with the bucket `forms`. */
export async function startS3(port = 0): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), "form-backend-s3-"));
  const server = new S3rver({
    address: "127.0.0.1",
    port,
    silent: true,
    directory,
    configureBuckets: [{ name: "forms" }],
  });
  server.middleware.splice(-1, 0, checkSignature, refuseLateParts, abortUpload, listParts);
  const address = await server.run();
  const bucket = join(directory, "forms");
  const list = (path: string): string[] =>
    existsSync(path)
      ? readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => name.split("\\").join("/"))
      : [];
  return {
    port: address.port,
    options: (more) => ({
      endpoint: `http://127.0.0.1:${address.port}`,
      bucket: "forms",
      region: "us-east-1",
      accessKeyId: "S3RVER",
      secretAccessKey: SECRET,
      ...more,
    }),
    keys: () => list(bucket).flatMap((name) => /^(.*)\._S3rver_object$/.exec(name)?.[1] ?? []),
    uploads: () => list(bucket).flatMap((name) => /uploads\/([0-9a-f]{32})$/.exec(name)?.[1] ?? []),
    forgetUploads() {
      for (const name of list(bucket).filter((path) => /uploads\/[0-9a-f]{32}$/.test(path)))
        rmSync(join(bucket, name), { recursive: true });
    },
    async close() {
      // A page's connection would stay open for as long as its browser likes.
      const closed = server.close();
      server.httpServer.closeAllConnections();
      await closed;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export type Fault = (request: IncomingMessage, response: ServerResponse, pass: () => void) => void;

/** What stands before the server: it hands everything on, or does what a test wants instead. */
export interface FaultyProxy {
  readonly endpoint: string;
  /** Method, path and query of what came. */
  readonly seen: string[];
  /** Requests whose body was not the one that they were signed for. */
  readonly unlike: string[];
  /** Asked about every request; null hands it on. */
  rule: (line: string, nth: number) => Fault | null;
  close(): Promise<void>;
}

export async function startProxy(to: () => number): Promise<FaultyProxy> {
  const seen: string[] = [];
  const unlike: string[] = [];
  const server: Server = createServer((incoming, response) => {
    const line = `${incoming.method} ${incoming.url}`;
    seen.push(line);
    const pass = (): void => {
      const { method, url, headers } = incoming;
      const onward = forward({ host: "127.0.0.1", port: to(), method, path: url, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      incoming.pipe(onward);
      const hash = createHash("sha256");
      incoming.on("data", (chunk: Buffer) => void hash.update(chunk));
      incoming.on("end", () => hash.digest("hex") === headers["x-amz-content-sha256"] || unlike.push(line));
    };
    const fault = proxy.rule(line, seen.length);
    if (fault) fault(incoming, response, pass);
    else pass();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: FaultyProxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    unlike,
    rule: () => null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** One server and one proxy for all tests of a file. */
export function useS3(): {
  s3: () => S3Server;
  proxy: () => FaultyProxy;
  blob: (more?: Partial<S3BlobOptions>) => S3BlobOptions;
} {
  let s3: S3Server;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    s3 = await startS3();
    proxy = await startProxy(() => s3.port);
  });
  beforeEach(() => {
    s3.forgetUploads();
    proxy.seen.length = 0;
    proxy.rule = () => null;
  });
  afterEach(() => expect(proxy.unlike).toEqual([]));
  afterAll(async () => {
    await proxy?.close();
    await s3?.close();
  });
  return { s3: () => s3, proxy: () => proxy, blob: (more) => s3.options({ endpoint: proxy.endpoint, ...more }) };
}
