import type { Io } from "../../src/surfaces/cli/io.ts";
import { atEndOfFile } from "./cleanup.ts";
import { type Ended, parsed, terminal } from "./terminal.ts";

/** A command that runs until it is stopped. */
export interface Running {
  /** What it printed first, with `--json`. */
  readonly first: Readonly<Record<string, string>>;
  /** Ends it as Ctrl-C does. */
  stop(): Promise<Ended>;
}

/** Starts a command, and waits until it has said where it is. Throws what it said if it ended instead. */
export async function running(args: readonly string[], over: Partial<Io> = {}): Promise<Running> {
  let told: (text: string) => void = () => {};
  const line = new Promise<string>((resolve) => {
    told = resolve;
  });
  const shell = terminal({ ...over, out: async (text) => told(text) });
  const ended = shell.cli(...args, "--json");
  const stop = (): Promise<Ended> => {
    shell.stop.abort(new Error("Interrupted by SIGINT."));
    return ended;
  };
  atEndOfFile(stop);
  const first = await Promise.race([line, ended]);
  if (typeof first !== "string") throw new Error(`ended with ${first.code}: ${first.err}`);
  return { first: parsed(first)[0] as Record<string, string>, stop };
}
