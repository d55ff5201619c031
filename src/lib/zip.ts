import { ApiError } from "../errors.ts";

/** A file of an archive. */
export interface Entry {
  readonly name: string;
  readonly content: string | AsyncIterable<string | Uint8Array>;
  /** Leaves out a file without content. */
  readonly unlessEmpty?: boolean;
}

/** True where the package that writes zips is installed. */
export async function canZip(): Promise<boolean> {
  // In a `try`, bundlers such as Turbopack take the package for optional.
  try {
    await import("yazl");
    return true;
  } catch {
    return false;
  }
}

/**
 * A zip of entries, each read only once the one before it has been taken, so that an archive of any size takes the memory of a
 * chunk. It is broken off with an error where reading fails: half an archive must not look like a whole one. `done` is called
 * once, when the stream ends, fails or is cancelled. Throws an `Error` that names `purpose` where the package `yazl` is missing.
 */
export async function zipOf(
  entries: AsyncGenerator<Entry>,
  purpose: string,
  done: () => void = () => {},
): Promise<ReadableStream<Uint8Array>> {
  const [{ ZipFile }, { Readable }, { finished }] = await Promise.all([
    yazl(purpose),
    import("node:stream"),
    import("node:stream/promises"),
  ]);
  const zip = new ZipFile();
  const out = zip.outputStream as import("node:stream").Readable;
  const over = new AbortController();
  out.once("close", () => {
    over.abort();
    done();
  });
  const fill = async (): Promise<void> => {
    for await (const { name, content, unlessEmpty } of entries) {
      const chunks = typeof content === "string" ? [content] : unlessEmpty ? await filledOnly(content) : content;
      if (!chunks) continue;
      const stream = Readable.from(chunks, { objectMode: false });
      try {
        over.signal.throwIfAborted();
        zip.addReadStream(stream, name);
        await finished(stream, { signal: over.signal });
      } finally {
        // A reader that has gone away leaves it as it is, with the file behind it open.
        stream.destroy();
      }
    }
    zip.end();
  };
  fill().catch((error: unknown) => {
    void entries.return(undefined);
    out.destroy(error instanceof Error ? error : new ApiError("internal_error", { cause: error }));
  });
  return Readable.toWeb(out) as ReadableStream<Uint8Array>;
}

/** The chunks, if there is one; null otherwise. */
async function filledOnly(
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<AsyncIterable<string | Uint8Array> | null> {
  const reader = chunks[Symbol.asyncIterator]();
  const first = await reader.next();
  if (first.done) return null;
  return (async function* () {
    try {
      yield first.value;
      for (let next = await reader.next(); !next.done; next = await reader.next()) yield next.value;
    } finally {
      await reader.return?.();
    }
  })();
}

async function yazl(purpose: string) {
  // Not `.catch()`: in a `try`, bundlers such as Turbopack take the package for optional.
  try {
    return (await import("yazl")).default;
  } catch (cause) {
    throw new Error(`[form-backend] ${purpose} needs the package yazl: npm install yazl`, { cause });
  }
}
