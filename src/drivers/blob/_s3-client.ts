import { setTimeout as pause } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { inTime } from "../../lib/in-time.ts";
import { refused, S3Error } from "./_s3-error.ts";
import type { PresignedUpload } from "./types.ts";

/** The bucket and the credentials. */
export interface S3Settings {
  readonly endpoint: URL;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Without progress, in milliseconds. */
  readonly timeoutMs: number;
}

/** Bytes to send, which can be read again for another attempt. */
export interface S3Body {
  readonly size: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly blocks: readonly Uint8Array[];
}

export interface S3Call {
  readonly method: "GET" | "PUT" | "POST" | "DELETE" | "HEAD";
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: S3Body;
}

export interface S3Answer {
  readonly headers: Headers;
  readonly text: string;
}

export interface S3Client {
  /** Throws an S3Error, after some attempts where the fault may pass. */
  send(call: S3Call): Promise<S3Answer>;
  /** The same as a stream, which errors if it breaks off or no data comes for `timeoutMs`. */
  open(call: S3Call): Promise<ReadableStream<Uint8Array>>;
  /** A signed request that stores an object of this size and type, or a part of one, for `seconds`. */
  presign(
    key: string,
    upload: { size: number; mimeType: string; seconds: number; query?: Readonly<Record<string, string>> },
  ): Promise<PresignedUpload>;
}

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 100;
const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Signed requests to one bucket, its name in the path, because not every server has a host name for each. */
export function s3Client(settings: S3Settings): S3Client {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey, timeoutMs } = settings;
  const base = `${endpoint.origin}${endpoint.pathname.replace(/\/+$/, "")}/${bucket}/`;
  const cache = new Map<string, ArrayBuffer>();

  return {
    async presign(key, { size, mimeType, seconds, query }) {
      const signer = new AwsV4Signer({
        url: `${base}${key}?${new URLSearchParams({ ...query, "X-Amz-Expires": String(seconds) })}`,
        method: "PUT",
        // Signed, so that no other size and type can be sent. A browser sets the length itself.
        headers: { "content-type": mimeType, "content-length": String(size) },
        signQuery: true,
        allHeaders: true,
        service: "s3",
        region,
        accessKeyId,
        secretAccessKey,
        cache,
      });
      const { url } = await signer.sign();
      return { url: url.href, method: "PUT", headers: { "content-type": mimeType } };
    },
    send: (call) =>
      again(() =>
        exchange(call, async (response) => {
          const text = await response.text();
          // Completing an upload may start with 200 before its result is known.
          if (!response.ok || /<Error>/.test(text)) throw refused({ ...parts(response), text }, settings);
          return { headers: response.headers, text };
        }),
      ),
    open: (call) =>
      again(() =>
        exchange(call, async (response) => {
          if (!response.ok) throw refused({ ...parts(response), text: await response.text() }, settings);
          // Then the body ends with the connection, and a truncated one looks complete.
          if (!response.headers.has("content-length") && /close/i.test(response.headers.get("connection") ?? "")) {
            throw new S3Error(`${endpoint.origin} sent a blob without its length.`);
          }
          return response.body ? watched(response.body, timeoutMs) : new ReadableStream({ start: (c) => c.close() });
        }),
      ),
  };

  async function exchange<T>(call: S3Call, read: (response: Response) => Promise<T>): Promise<T> {
    const url = `${base}${call.key}${call.query ? `?${new URLSearchParams(call.query)}` : ""}`;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method: call.method,
        headers: await sign(call, url),
        signal: late.signal,
        // An S3 that redirects means another region, and no other host is to see the signature.
        redirect: "manual",
        ...(call.body && { body: streamOf(call.body, () => timer.refresh()), duplex: "half" }),
      });
      return await read(response);
    } catch (cause) {
      if (cause instanceof S3Error) throw cause;
      if (late.signal.aborted) {
        throw new S3Error(`${endpoint.origin} did not answer within ${timeoutMs / 1000} s.`, { cause });
      }
      const { code, message } = rootOf(cause);
      throw new S3Error(`${endpoint.origin} can't be reached (${code || message}). Check \`endpoint\`.`, {
        passing: true,
        cause,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async function sign({ method, headers, body }: S3Call, url: string): Promise<Headers> {
    const signer = new AwsV4Signer({
      url,
      method,
      headers: { ...headers, "x-amz-content-sha256": body?.sha256 ?? EMPTY_SHA256 },
      service: "s3",
      region,
      accessKeyId,
      secretAccessKey,
      cache,
    });
    const signed = (await signer.sign()).headers;
    // Not part of the signature, for proxies on the way may change it.
    signed.set("accept-encoding", "identity");
    // With it a stream goes out as it is; S3 takes no chunked bodies.
    if (body) signed.set("content-length", String(body.size));
    return signed;
  }
}

const parts = ({ status, headers }: Response): { status: number; headers: Headers } => ({ status, headers });

async function again<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      if (tried === ATTEMPTS || !(error instanceof S3Error && error.passing)) throw error;
    }
    // With jitter, so that many who were turned away do not come back together.
    await pause(FIRST_PAUSE_MS * 2 ** (tried - 1) * (0.5 + Math.random()));
  }
}

function streamOf({ blocks }: S3Body, onProgress: () => void): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream(
    {
      pull(controller) {
        onProgress();
        const block = blocks[next++];
        if (block) controller.enqueue(block);
        else controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Asked for chunk by chunk, so that only the server is timed and not the reader. */
function watched(body: ReadableStream<Uint8Array>, timeoutMs: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await inTime(timeoutMs, () => reader.read());
          if (done) return controller.close();
          size += value.byteLength;
          controller.enqueue(value);
        } catch (cause) {
          void reader.cancel(cause).catch(() => {});
          const { code, message } = rootOf(cause);
          throw new S3Error(`a download broke off after ${size} bytes (${code || message}).`, { cause });
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The error inside fetch's error, with the system's code. */
function rootOf(error: unknown): { code: string; message: string } {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = (inner ?? {}) as { code?: unknown; message?: unknown };
  return { code: typeof code === "string" ? code : "", message: String(message ?? inner) };
}
