import { CommanderError } from "commander";
import { ApiError } from "../client/index.ts";
import { type ExitCode, exit, Failure, ReaderGone } from "./failure.ts";
import { type Io, styled } from "./io.ts";
import { createProgram } from "./program.ts";
import { safeLine } from "./text.ts";

/** Runs a command line, without the name of the program. Returns the exit code; never rejects. */
export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  try {
    await createProgram(io).parseAsync(args.map(longForm), { from: "user" });
    return exit.done;
  } catch (error) {
    return ended(error, io);
  }
}

/** `-out` is written with one dash, as in other tools that plan and apply. */
const longForm = (arg: string): string => (/^-out(=|$)/.test(arg) ? `-${arg}` : arg);

function ended(error: unknown, io: Io): ExitCode {
  if (error instanceof ReaderGone) return exit.done;
  // Commander has said what is wrong. Help that was asked for has the code 0; help in place of a missing command has not.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exit.done : exit.usage;
  const tell = (message: string): void => io.err(`${styled(io, "red", "error:", "err")} ${message}\n`);
  if (error instanceof Failure) {
    // Without a message, the code alone is the result.
    if (error.message !== "") tell(error.message);
    return error.code;
  }
  if (io.signal.aborted) {
    tell("Interrupted.");
    return exit.failed;
  }
  if (error instanceof ApiError) {
    tell(`${safeLine(error.message)} (${error.code})`);
    const refused = error.status === 401 || error.status === 403;
    if (error.status === 401) io.err("Check FORM_BACKEND_KEY. `form-backend keys create` creates a new key.\n");
    if (error.code === "unavailable") io.err("Check FORM_BACKEND_URL, and that the backend is running.\n");
    return refused ? exit.refused : exit.failed;
  }
  tell(error instanceof Error ? safeLine(error.message) : String(error));
  return exit.failed;
}
