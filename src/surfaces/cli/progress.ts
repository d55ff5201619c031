import type { Io } from "./io.ts";

const EVERY_MS = 200;

/** Progress of long work, on one line of a terminal; silent elsewhere. */
export interface Progress {
  /** Replaces the line. */
  update(text: string): void;
  /** Passes a stream on and shows its size. */
  counting(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void>;
  /** Removes the line. */
  end(): void;
}

const size = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;

/** Shows `<count> <verb>`, at most five times a second. */
export function progress({ tty, err, now }: Pick<Io, "tty" | "err" | "now">, verb: string): Progress {
  let last = 0;
  let shown = false;
  const update = (text: string): void => {
    if (!tty.err || now() - last < EVERY_MS) return;
    last = now();
    shown = true;
    err(`\r\u001b[K${text} ${verb}`);
  };
  return {
    update,
    async *counting(stream) {
      let bytes = 0;
      for await (const part of stream) {
        bytes += part.byteLength;
        update(size(bytes));
        yield part;
      }
    },
    end() {
      if (shown) err("\r\u001b[K");
      shown = false;
    },
  };
}
