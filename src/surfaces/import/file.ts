/** A file to read: a stream of Node, a `ReadableStream`, any iterable of chunks, or the bytes or text themselves. */
export type ImportFile = AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array> | Uint8Array | string;

const CHUNK = 64 * 1024;

/** A file's content in small pieces, so that what is read of it waits in small pieces too. */
export async function* chunksOf(file: ImportFile): AsyncGenerator<Uint8Array | string, void> {
  if (typeof file === "string" || file instanceof Uint8Array) yield* pieces(file);
  else for await (const chunk of file as AsyncIterable<Uint8Array | string>) yield* pieces(chunk);
}

function* pieces(chunk: Uint8Array | string): Generator<Uint8Array | string, void> {
  // Text could be cut within a character, which bytes can't show.
  const bytes = typeof chunk === "string" && chunk.length > CHUNK ? Buffer.from(chunk) : chunk;
  if (typeof bytes === "string") yield bytes;
  else for (let at = 0; at < bytes.length; at += CHUNK) yield bytes.subarray(at, at + CHUNK);
}

/** The lines of a file, without their ends. Throws on one of more than `most` characters. */
export async function* linesOf(file: ImportFile, most: number): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  // In parts: a long line that is put together anew with each chunk takes time with the square of its length.
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunksOf(file)) {
    const [first = "", ...others] = (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true })).split(
      "\n",
    );
    parts.push(first);
    length += first.length;
    if (length > most) throw new Error(`[form-backend] json: a line has more than ${most} characters.`);
    const last = others.pop();
    if (last === undefined) continue;
    yield parts.join("");
    yield* others;
    parts = [last];
    length = last.length;
  }
  const rest = parts.join("") + decoder.decode();
  if (rest !== "") yield rest;
}
