import type { BusboyFileStream, BusboyInstance } from "@fastify/busboy";
import { ApiError } from "../../errors.ts";
import { packages } from "../../lib/packages.ts";
import { type FieldCollector, MAX_FIELDS, MAX_VALUE } from "./fields.ts";
import type { Uploads } from "./uploads.ts";

/** Parts of one body; the limit for plans without a limit of files. */
const MAX_PARTS = 1_000;
/** Empty file inputs that are allowed in addition to the plan's files. */
const EMPTY_INPUTS = 100;
const HEADER_BYTES = 8 * 1024;
const UNREADABLE = "The multipart body cannot be parsed.";
/** Without a file, the fields must have arrived by then. */
const FIELDS_MS = 30_000;

/**
 * Reads a multipart body as it arrives: fields into `fields`, files through `uploads` into the blob port. Keeps only a chunk in
 * memory, and bytes that a slow store has not accepted yet. Throws `invalid_parameter`, `payload_too_large`, `request_timeout`
 * and the errors of `uploads.take`; by then, nothing is being written any more.
 */
export async function parseMultipart(
  contentType: string,
  body: AsyncIterable<Uint8Array> | null,
  fields: Pick<FieldCollector, "add">,
  uploads: Pick<Uploads, "maxFiles" | "hasBegun" | "take">,
  maxValue = MAX_VALUE,
): Promise<void> {
  const parser = await open(contentType, Math.min((uploads.maxFiles ?? MAX_PARTS) + EMPTY_INPUTS, MAX_PARTS), maxValue);
  const files = new Set<BusboyFileStream>();
  const started = performance.now();
  let failure: { readonly error: unknown } | null = null;
  let interrupt = (_error: unknown): void => {};
  let stored = Promise.resolve();
  let storedBefore = stored;
  let parts = 1;
  let plain = 0;
  let taken = 0;

  const fail = (error: unknown): void => {
    if (failure) return;
    failure = { error };
    for (const file of files) file.destroy(error as Error);
    interrupt(error);
  };
  /** Waits for `work` to call back, or for the first fault, wherever it happens. */
  const orFail = (work: (done: () => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      interrupt = reject;
      if (failure) reject(failure.error);
      else work(resolve);
    });

  parser.on("field", (name: string | undefined, value, _nameCut, valueCut, _encoding, type) => {
    parts++;
    plain += Buffer.byteLength(value);
    if (failure) return;
    try {
      if (valueCut) throw tooLarge(`The form endpoint accepts values of at most ${maxValue / 1024} KB.`);
      if (/^multipart\//i.test(type)) throw malformed("A part of the body is itself a multipart body.");
      fields.add(decoded(name), value);
    } catch (error) {
      fail(error);
    }
  });
  parser.on("file", (name: string | undefined, file, fileName: string | undefined, _encoding, type) => {
    parts++;
    // The parser reports a truncated body here as well, and an error without a listener ends the process.
    file.on("error", (cause) => fail(cause instanceof ApiError ? cause : malformed(UNREADABLE, cause)));
    if (!name || failure) return void file.resume();
    files.add(file);
    storedBefore = stored;
    stored = stored
      .then(() => {
        if (failure) return;
        if (/^multipart\//i.test(type)) throw malformed("A part of the body is itself a multipart body.");
        return uploads.take({ key: decoded(name), name: decoded(fileName), declared: type, content: file });
      })
      .then(() => {
        if (files.delete(file)) taken += file.bytesRead;
      })
      .catch(fail);
  });
  for (const limit of ["partsLimit", "fieldsLimit"] as const) {
    parser.on(limit, () => fail(tooLarge(`The form endpoint accepts at most ${MAX_FIELDS} fields.`)));
  }
  parser.on("filesLimit", () => fail(new ApiError("too_many_files")));
  parser.on("error", (cause) => fail(malformed(UNREADABLE, cause)));
  const finished = new Promise<void>((resolve) => parser.on("finish", resolve));

  try {
    let received = 0;
    for await (const chunk of body ?? []) {
      received += chunk.length;
      await orFail((done) => parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), done));
      // Bytes outside fields and files are headers, boundaries and stray bytes; a value appears only when it is complete.
      const loose = received - plain - [...files].reduce((sum, { bytesRead }) => sum + bytesRead, taken);
      if (loose > maxValue + parts * HEADER_BYTES)
        throw tooLarge("The body has larger headers than are accepted here.");
      if (!uploads.hasBegun() && performance.now() - started > FIELDS_MS)
        throw new ApiError("request_timeout", { headers: { connection: "close" } });
      // Small files fit into one chunk and stay in the parser; only the last one may still need more data.
      const before = storedBefore;
      await orFail((done) => void before.then(done));
    }
    parser.end();
    await orFail((done) => void finished.then(() => stored).then(done));
  } catch (error) {
    fail(error);
  } finally {
    await stored;
  }
  if (failure) throw (failure as { error: unknown }).error;
}

async function open(contentType: string, maxFiles: number, maxValue: number): Promise<BusboyInstance> {
  const { default: busboy } = await packages.busboy();
  try {
    return busboy({
      headers: { "content-type": contentType },
      // Bytes of files are counted by `uploads`, which also knows how much a post may bring in all.
      limits: {
        fields: MAX_FIELDS,
        fieldSize: maxValue,
        files: maxFiles,
        fileSize: Number.POSITIVE_INFINITY,
        parts: MAX_PARTS,
        headerPairs: 32,
        headerSize: HEADER_BYTES,
      },
    });
  } catch (cause) {
    throw malformed("The multipart body cannot be parsed: its boundary is missing.", cause);
  }
}

/** Browsers escape these characters in names (HTML, multipart/form-data encoding algorithm). */
const decoded = (name = ""): string => name.replace(/%(22|0D|0A)/gi, (code) => decodeURIComponent(code));

const malformed = (message: string, cause?: unknown): ApiError => new ApiError("invalid_parameter", { message, cause });
const tooLarge = (message: string): ApiError => new ApiError("payload_too_large", { message });
