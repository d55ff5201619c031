import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { ApiError } from "../../errors.ts";

/** Time limit for a whole body. A sender that drips bytes must not block a connection forever. */
const BODY_DEADLINE_MS = 30_000;

/** The Node request inside a web request, if there is one (srvx tells). A host may have kept the bytes it read as `rawBody`. */
export function nodeRequest(request: Request): (IncomingMessage & { rawBody?: unknown }) | undefined {
  return (request as { runtime?: { node?: { req?: IncomingMessage } } }).runtime?.node?.req;
}

/**
 * The bytes of a body, refused with `payload_too_large` as soon as more than `limit` have arrived: `Content-Length` is a
 * hint, never the check. Throws `request_timeout` after 30 s, `body_consumed` when somebody has read it before,
 * `invalid_parameter` when the sender went away in the middle, `unsupported_media_type` when it is compressed.
 */
export async function readBody(request: Request, limit: number): Promise<Buffer> {
  const source = sourceOf(request);
  if (source === null) return Buffer.alloc(0);
  if (Buffer.isBuffer(source)) {
    if (source.length > limit) throw tooLarge(limit);
    return source;
  }
  if (Number(request.headers.get("content-length")) > limit) throw tooLarge(limit);
  if (source instanceof Readable) return collect(source, limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of guarded(webChunks(source), BODY_DEADLINE_MS)) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The slowest allowed speed of a body: this many bytes for each period spent waiting. */
export interface Pace {
  readonly bytes: number;
  readonly ms: number;
}

/** 1 KiB a second, with 5 seconds' grace: for uploads, which take as long as they are large. */
export const UPLOAD_PACE: Pace = { bytes: 5 * 1024, ms: 5_000 };

/**
 * The body as chunks, for bodies that must not be kept in memory; null if there is none. Throws the errors of `readBody` except
 * `payload_too_large`, because the reader counts. `limit` is the time for the whole body in ms, default 30,000, or a pace,
 * at which `turn` gives a turn of the event loop for each 128 KB.
 */
export function bodyStream(
  request: Request,
  limit: number | Pace = BODY_DEADLINE_MS,
  turn?: () => Promise<void>,
): AsyncIterable<Uint8Array> | null {
  const source = sourceOf(request);
  if (source === null) return null;
  if (Buffer.isBuffer(source)) return Readable.from([source]);
  // Leaving the loop early must not destroy the socket, which the response still needs.
  const chunks = source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : webChunks(source);
  return typeof limit === "number" ? guarded(chunks, limit) : guarded(paced(chunks, limit, turn), null);
}

/** The media type of the body in lower case, without parameters; "" when there is none. */
export function mediaType(request: Request): string {
  return (request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** The source of the bytes: memory, Node's own stream (several times cheaper than a web stream over it), or the web stream. */
function sourceOf(request: Request): Buffer | Readable | ReadableStream<Uint8Array> | null {
  const node = nodeRequest(request);
  const kept = node?.rawBody;
  const unread = node instanceof Readable && !node.readableDidRead;
  // Not asked of an unread one: srvx 0.8 (Nitro 3.0) would put a web stream over it, which stops it at 64 KB for want of a reader.
  if (!unread && request.bodyUsed) throw new ApiError("body_consumed");
  if (typeof kept === "string") return Buffer.from(kept);
  if (kept instanceof Uint8Array) return Buffer.from(kept.buffer, kept.byteOffset, kept.byteLength);
  // Not to be tested with kept bytes: the parser that kept them has also inflated them.
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.trim().toLowerCase() !== "identity") {
    const headers = { "accept-encoding": "identity" }; // RFC 9110, 15.5.16
    throw new ApiError("unsupported_media_type", { message: "Send the body without `Content-Encoding`.", headers });
  }
  if (unread) {
    if (node.readableEnded) return null;
    if (!node.destroyed) return node;
  }
  // A stream in use: if someone used the web request, its stream is still complete here; otherwise reading it fails with a
  // clear error.
  return request.body as ReadableStream<Uint8Array> | null;
}

function collect(stream: Readable, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => settle(() => reject(timedOut())), BODY_DEADLINE_MS);
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) settle(() => reject(tooLarge(limit)));
      else chunks.push(chunk);
    };
    const onEnd = (): void =>
      settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    const onGone = (): void => settle(() => reject(cutShort()));
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      stream.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      end();
    };
    stream.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
    stream.resume(); // A host may have paused it.
  });
}

/** Chunks until the deadline, if there is one. Faults of every kind of stream become ours. */
async function* guarded(
  chunks: AsyncIterable<Uint8Array>,
  deadlineMs: number | null,
): AsyncGenerator<Uint8Array, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let late = false;
  let expire = (_error: unknown): void => {};
  const timer =
    deadlineMs === null
      ? undefined
      : setTimeout(() => {
          late = true;
          expire(timedOut());
        }, deadlineMs);
  // No `Promise.race` with one promise for the whole body: it would keep every chunk in memory until the last one.
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      if (late) return reject(timedOut());
      expire = reject;
      iterator.next().then(resolve, reject);
    }).catch((error: unknown) => {
      if (error instanceof ApiError) throw error;
      // "Body is unusable", in every implementation of fetch; any other error is a closed connection.
      throw error instanceof TypeError ? new ApiError("body_consumed", { cause: error }) : cutShort(error);
    });
  try {
    for (let step = await next(); !step.done; step = await next()) yield step.value;
  } finally {
    clearTimeout(timer);
    // Not awaited: if the sender has stalled, it never settles.
    void iterator.return?.().catch(() => {});
  }
}

/**
 * Bytes of one upload that a turn of the event loop may take. A fast sender has megabytes in the socket's buffer, and to parse,
 * hash and store them at once would hold up everybody else's posts.
 */
const TURN_BYTES = 128 * 1024;

/** Chunks for as long as the sender keeps the pace. Only time spent waiting for the sender counts, not the reader's time. */
async function* paced(
  chunks: AsyncIterable<Uint8Array>,
  pace: Pace,
  turn: () => Promise<void> = () => new Promise((resolve) => setImmediate(resolve)),
): AsyncGenerator<Uint8Array, void> {
  const iterator = chunks[Symbol.asyncIterator]();
  let waited = 0;
  let got = 0;
  let inTurn = 0;
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise((resolve, reject) => {
      // A process that stood still, for a slow disk or a busy machine, ends its timers before it reads what has arrived meanwhile.
      const late = (): void => void setImmediate(() => reject(timedOut()));
      const timer = setTimeout(late, Math.max(0, pace.ms - waited));
      iterator
        .next()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  try {
    for (;;) {
      const asked = performance.now();
      const step = await next();
      if (step.done) return;
      waited += performance.now() - asked;
      got += step.value.length;
      if (got >= pace.bytes) waited = got = 0;
      yield step.value;
      inTurn += step.value.length;
      if (inTurn < TURN_BYTES) continue;
      inTurn = 0;
      await turn();
    }
  } finally {
    void iterator.return?.().catch(() => {});
  }
}

/** Cancelling a web stream over Node's destroys the socket, which the response still needs; the rest is discarded later. */
const webChunks = (stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> =>
  stream.values({ preventCancel: true });

// The rest can't be waited for, so the connection closes with the response.
const timedOut = (): ApiError => new ApiError("request_timeout", { headers: { connection: "close" } });

/** A closed connection, unless the host itself ended the body at its own limit, as SvelteKit does. */
const cutShort = (cause?: unknown): ApiError => {
  if ((cause as { status?: unknown } | null | undefined)?.status === 413)
    return new ApiError("payload_too_large", {
      message: "The body is larger than the host's own limit; raise that, in SvelteKit with BODY_SIZE_LIMIT.",
      cause,
    });
  return new ApiError("invalid_parameter", {
    message: "The connection closed before the whole body had arrived.",
    cause,
  });
};

const tooLarge = (limit: number): ApiError =>
  new ApiError("payload_too_large", {
    message: `The body is larger than the ${limit >= 1024 * 1024 ? `${limit / 1024 / 1024} MB` : `${limit} bytes`} accepted here.`,
  });
