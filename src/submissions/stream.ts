/** Text as bytes, produced only as fast as it is read. `done` is called once, when the stream ends, fails or is cancelled. */
export function streamOf(
  chunks: AsyncGenerator<string>,
  done: () => void,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const end = (): void => {
    signal?.removeEventListener("abort", end);
    done();
  };
  if (signal?.aborted) done();
  else signal?.addEventListener("abort", end);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal?.throwIfAborted();
          // An empty chunk does not satisfy a pull.
          let next = await chunks.next();
          while (!next.done && next.value === "") next = await chunks.next();
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
