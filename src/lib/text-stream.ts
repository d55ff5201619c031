import { inSlices } from "./turn.ts";

/** Text that is encoded at once, in characters. */
const CHUNK = 64 * 1024;

/** The texts of rows, joined to chunks, in slices of time. */
export async function* chunksOf<T>(rows: Iterable<T>, textOf: (row: T) => string): AsyncGenerator<string> {
  const pause = inSlices();
  let text = "";
  for (const row of rows) {
    text += textOf(row);
    await pause();
    if (text.length < CHUNK) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}

/** Text as bytes, produced only as fast as it is read, in slices of time. `done` is called once, when the stream ends, fails or is cancelled, or when `signal` aborts. */
export function streamOf(
  chunks: AsyncGenerator<string>,
  done: () => void,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pause = inSlices();
  let isOver = false;
  const end = (): void => {
    if (isOver) return;
    isOver = true;
    signal?.removeEventListener("abort", end);
    done();
  };
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal?.throwIfAborted();
          // An empty chunk does not satisfy a pull.
          let next = await chunks.next();
          while (!next.done && next.value === "") next = await chunks.next();
          await pause();
          if (!next.done) return controller.enqueue(encoder.encode(next.value));
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel() {
        end();
        void chunks.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
