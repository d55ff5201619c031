import { createInterface } from "node:readline/promises";
import { setTimeout } from "node:timers/promises";
import { styleText } from "node:util";
import { ReaderGone } from "./failure.ts";

/** The styles that the output uses. */
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Everything a command may touch outside of itself, so that a test can replace it. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Writes data to standard output, and waits while the reader is slow. Throws `ReaderGone` if the reader has left. */
  out(text: string): Promise<void>;
  /** Writes a message to standard error. */
  err(text: string): void;
  /** Terminals: of input, of output, and of messages. */
  readonly tty: { readonly in: boolean; readonly out: boolean; readonly err: boolean };
  /** The width of the terminal. */
  readonly columns: number;
  /** Aborts at Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
  /** Reads one line from the terminal. */
  ask(question: string): Promise<string>;
  /** Waits; throws the reason if the signal aborts. */
  sleep(ms: number): Promise<void>;
  /** Epoch ms. */
  now(): number;
  /** Replaces the network. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** True if output may have colours: a terminal, and neither `NO_COLOR` nor `TERM=dumb`. */
export const inColour = ({ env, tty }: Pick<Io, "env" | "tty">, to: "out" | "err" = "out"): boolean =>
  tty[to] && !env["NO_COLOR"] && env["TERM"] !== "dumb";

/** Text in a style, or unchanged where there are no colours. */
export function styled(io: Pick<Io, "env" | "tty">, style: Style, text: string, to: "out" | "err" = "out"): string {
  // Node would ask its own standard output; the decision is made above.
  return inColour(io, to) ? styleText(style, text, { validateStream: false }) : text;
}

/** The process itself. */
export function processIo(): Io {
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    // Once: a second Ctrl-C ends the process as usual.
    process.once(name, () => stop.abort(new Error(`Interrupted by ${name}.`)));
  }
  // The callback of the write has the error too; without a listener it would end the process.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});
  return {
    env: process.env,
    cwd: process.cwd(),
    out: (text) =>
      new Promise((resolve, reject) => {
        process.stdout.write(text, (error) => {
          if (!error) resolve();
          else reject((error as NodeJS.ErrnoException).code === "EPIPE" ? new ReaderGone() : error);
        });
      }),
    err: (text) => void process.stderr.write(text),
    tty: {
      in: process.stdin.isTTY === true,
      out: process.stdout.isTTY === true,
      err: process.stderr.isTTY === true,
    },
    columns: process.stdout.columns ?? 80,
    signal: stop.signal,
    async ask(question) {
      const lines = createInterface({ input: process.stdin, output: process.stderr });
      try {
        return await lines.question(question, { signal: stop.signal });
      } finally {
        lines.close();
      }
    },
    sleep: (ms) =>
      setTimeout(ms, undefined, { signal: stop.signal }).catch((error: unknown) => {
        stop.signal.throwIfAborted();
        throw error;
      }),
    now: () => Date.now(),
  };
}
